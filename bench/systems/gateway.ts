import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, type Running, start } from '../processes.ts';
import { key, model, type Place, type System } from './system.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** How the gateway is started. */
export interface GatewayOptions {
  /** Its `logging.requests`; else as in `bench/gateway.yaml`, the default that people run. */
  readonly requests?: string;
  /** From the sources, as `npm start` does; else the compiled package. */
  readonly sources?: boolean;
  /** Flags for Node besides those of `npm start`. */
  readonly flags?: readonly string[];
  /** Loads `inside.mjs`. */
  readonly answers?: boolean;
  /** The text of the configuration, if it is another one. */
  readonly config?: string;
}

/** With all six plugins, an API key, and every request in the log. */
export const gateway = (name: string, options: GatewayOptions = {}): System => ({
  name,
  model,
  start: (place) => startGateway(place, name, options),
});

async function startGateway(place: Place, name: string, options: GatewayOptions): Promise<Running> {
  const port = await freePort();
  const { command, env, home } = gatewayCommand(place, name, port, options);
  return start(command, port, env, { log: join(home, 'log'), answers: options.answers === true });
}

export interface GatewayCommand {
  readonly command: readonly string[];
  readonly env: Record<string, string>;
  /** The folder with its configuration, `gateway.yaml`, and its state. */
  readonly home: string;
}

export function gatewayCommand({ upstream, folder }: Place, name: string, port: number, options: GatewayOptions): GatewayCommand {
  const home = join(folder, `${name.replaceAll(/[^a-z0-9]+/g, '-')}-${port}`);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'gateway.yaml'), options.config ?? gatewayConfig(options.requests));
  const own = options.sources === true ? ['--conditions=llm-gateway-source', join(root, 'src/cli/bin.js')] : [join(root, 'dist/bin.js')];
  const inside = options.answers === true ? ['--import', join(root, 'bench/inside.mjs')] : [];
  const [to, listen] = [join(home, 'gateway.yaml'), `127.0.0.1:${port}`];
  return {
    command: [process.execPath, ...nodeFlags(), ...inside, ...(options.flags ?? []), ...own, 'start', '-c', to, '--listen', listen],
    env: {
      BENCH_UPSTREAM: `http://127.0.0.1:${upstream}/v1`,
      BENCH_STATE: join(home, 'state'),
      BENCH_KEY_HASH: `sha256:${createHash('sha256').update(key).digest('hex')}`,
      NODE_ENV: 'production',
      ...variables(),
    },
    home,
  };
}

/** `bench/gateway.yaml`, with another `logging.requests` where one is given. */
export function gatewayConfig(requests?: string): string {
  const text = readFileSync(join(root, 'bench/gateway.yaml'), 'utf8');
  return requests === undefined ? text : text.replace(/^ {2}requests: .*$/m, `  requests: ${requests}`);
}

interface Manifest {
  readonly config: { readonly node: string; readonly env: string };
}

const manifest = (): Manifest => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

/** What `npm start` gives to Node: without it, V8 keeps short-lived objects in the old generation. */
const nodeFlags = (): string[] => manifest().config.node.split(' ');

/** What it sets: `NAME=value`. */
const variables = (): Record<string, string> => Object.fromEntries([manifest().config.env.split('=')]) as Record<string, string>;
