import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { vendors } from '../../plugins/providers/vendors/index.ts';
import { startProcess } from '../cli/process.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';
import { Page } from './page.ts';

/** The credential of every provider, whatever variable a page reads it from. */
export const credential = 'sk-of-the-provider-0123456789';
const address = 'http://127.0.0.1:8787';

/** Host and port without a listener. */
export const closed = '127.0.0.1:9';

/** A page in use: a gateway process with the page's configuration, and a folder in which its reader works. */
export interface Recipe {
  readonly page: Page;
  /** The reader's project. */
  readonly folder: string;
  /** The reader's home. */
  readonly home: string;
  /** Number of requests that the gateway has logged. */
  calls(): number;
  /** Runs a block of the page as its reader would and returns its standard output. */
  run(text: string, command: Command): Promise<string>;
  /** The page's text with the address of the gateway process. */
  here(text: string): string;
  close(): Promise<void>;
}

/** The command that runs a block: a program that receives the file with the block. */
export interface Command {
  readonly program: readonly string[];
  /** Name of the file in the reader's project; a module of Node ends in `.mjs`. */
  readonly file: string;
  /** Folders added to PATH. */
  readonly path?: readonly string[];
  /** A `node_modules` to import from. */
  readonly modules?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** @param yaml the page's configuration; its first block in YAML unless another is given */
export async function startRecipe(name: string, service: ScriptedUpstream, yaml?: string): Promise<Recipe> {
  const page = new Page(name);
  const root = await mkdtemp(join(tmpdir(), 'recipe-'));
  const [folder, home, etc] = [join(root, 'project'), join(root, 'home'), join(root, 'etc')];
  await Promise.all([folder, home, etc].map((each) => mkdir(each)));
  const config = yaml ?? page.block('yaml');
  await writeFile(join(etc, 'gateway.yaml'), redirected(config, service.url));
  const variables = [...config.matchAll(/\$\{env:([A-Z0-9_]+)/g)].map(([, variable = '']) => [variable, credential]);
  const flags = ['--listen', '127.0.0.1:0', '--log-format', 'json', '--no-watch'];
  const gateway = startProcess(['start', ...flags], etc, Object.fromEntries(variables) as Record<string, string>);
  const [, url = ''] = await gateway.waitForOutput(/"url":"([^"]+)\/v1"/);
  const here = (text: string): string => text.replaceAll(address, url);
  return {
    page,
    folder,
    home,
    here,
    calls: () => gateway.out().split('"msg":"request"').length - 1,
    async run(text, command) {
      const file = join(folder, command.file);
      await writeFile(file, here(text));
      if (command.modules !== undefined) await symlink(command.modules, join(folder, 'node_modules')).catch(ignoreExisting);
      return output(command, file, { cwd: folder, env: environment(command, home) });
    },
    async close() {
      gateway.child.kill('SIGTERM');
      await gateway.ended;
      await rm(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** The configuration with every provider at the test's service, at the path of its real URL; a closed port stays closed. */
function redirected(yaml: string, service: string): string {
  const config = parse(yaml) as { providers: Record<string, { type: string; custom_host?: string }> };
  for (const provider of Object.values(config.providers)) {
    if (provider.custom_host?.includes(closed) === true) continue;
    const host = provider.custom_host ?? vendors.find(({ type }) => type === provider.type)?.host;
    provider.custom_host = service + (host === undefined ? '/v1' : new URL(host).pathname);
  }
  return stringify(config);
}

/** Hides the settings of this machine from clients, and lets clients connect to this machine only. */
const environment = ({ path = [], env = {} }: Command, home: string): Record<string, string> => ({
  PATH: [...path, process.env['PATH'] ?? ''].join(delimiter),
  HOME: home,
  HTTPS_PROXY: `http://${closed}`,
  NO_PROXY: '127.0.0.1',
  PYTHONUTF8: '1',
  ...env,
});

function output({ program }: Command, file: string, options: { cwd: string; env: Record<string, string> }): Promise<string> {
  const [command = '', ...args] = program;
  const child = spawn(command, [...args, file], { ...options, stdio: ['ignore', 'pipe', 'pipe'], signal: AbortSignal.timeout(100_000) });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(`${program.join(' ')} ended with ${code}:\n${out.slice(-2000)}\n${err.slice(-4000)}`));
    });
  });
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
