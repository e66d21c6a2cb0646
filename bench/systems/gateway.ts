import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { certificates } from '../../test/support/certificates.ts';
import { freePort, type RunningProcess, startProcess } from '../processes.ts';
import { key, model, type BenchEnvironment, type System } from './system.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Options for starting the gateway. */
export interface GatewayOptions {
  /** Value of `logging.requests`. Default: as in `bench/gateway.yaml`, which is the gateway's default. */
  readonly requests?: string;
  /** Runs the sources, as `npm start` does, instead of the compiled package. */
  readonly sources?: boolean;
  /** Node flags in addition to those of `npm start`. */
  readonly flags?: readonly string[];
  /** Loads `ipc-agent.mjs`. */
  readonly loadsAgent?: boolean;
  /** Text of the configuration, if it is not the default one. */
  readonly config?: string;
}

/** The gateway with all six plugins, an API key, and every request in the log. */
export const gateway = (name: string, options: GatewayOptions = {}): System => ({
  name,
  model,
  start: (place) => startGateway(place, name, options),
});

async function startGateway(place: BenchEnvironment, name: string, options: GatewayOptions): Promise<RunningProcess> {
  const port = await freePort();
  const { command, env, home } = gatewayCommand(place, name, port, options);
  return startProcess(command, port, env, { log: join(home, 'log'), loadsAgent: options.loadsAgent === true });
}

export interface GatewayCommand {
  readonly command: readonly string[];
  readonly env: Record<string, string>;
  /** Folder of its configuration, `gateway.yaml`, and its state. */
  readonly home: string;
}

export function gatewayCommand(
  { upstream, tlsUpstream, folder }: BenchEnvironment,
  name: string,
  port: number,
  options: GatewayOptions,
): GatewayCommand {
  const home = join(folder, `${name.replaceAll(/[^a-z0-9]+/g, '-')}-${port}`);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'gateway.yaml'), options.config ?? gatewayConfig(options.requests));
  const own = options.sources === true ? ['--conditions=llm-gateway-source', join(root, 'src/cli/bin.js')] : [join(root, 'dist/bin.js')];
  const inside = options.loadsAgent === true ? ['--import', join(root, 'bench/ipc-agent.mjs')] : [];
  const [to, listen] = [join(home, 'gateway.yaml'), `127.0.0.1:${port}`];
  return {
    command: [process.execPath, ...nodeFlags(), ...inside, ...(options.flags ?? []), ...own, 'start', '-c', to, '--listen', listen],
    env: {
      BENCH_UPSTREAM: `http://127.0.0.1:${upstream}/v1`,
      BENCH_TLS_UPSTREAM: `https://127.0.0.1:${tlsUpstream ?? upstream}/v1`,
      NODE_EXTRA_CA_CERTS: certificateIn(folder),
      BENCH_STATE: join(home, 'state'),
      BENCH_KEY_HASH: `sha256:${createHash('sha256').update(key).digest('hex')}`,
      NODE_ENV: 'production',
      ...variables(),
    },
    home,
  };
}

/** The certificate of `tls-front.ts`, as a file. */
function certificateIn(folder: string): string {
  const file = join(folder, 'tls-front.pem');
  writeFileSync(file, certificates.good.cert);
  return file;
}

/** Returns `bench/gateway.yaml`, with `logging.requests` replaced if given. */
export function gatewayConfig(requests?: string): string {
  const text = readFileSync(join(root, 'bench/gateway.yaml'), 'utf8');
  return requests === undefined ? text : text.replace(/^ {2}requests: .*$/m, `  requests: ${requests}`);
}

interface Manifest {
  readonly config: { readonly node: string; readonly env: string };
}

const manifest = (): Manifest => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

/** Node flags of `npm start`. Without them, V8 moves short-lived objects to the old generation. */
const nodeFlags = (): string[] => manifest().config.node.split(' ');

/** Environment variables of `npm start`: `NAME=value`. */
const variables = (): Record<string, string> => Object.fromEntries([manifest().config.env.split('=')]) as Record<string, string>;
