import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { root } from '../repo/tree.ts';
import type { Stage } from './dockerfile.ts';

/** The reason why this machine cannot run a command in a separate root file system; undefined if it can. */
export function cannotMount(): string | undefined {
  if (process.getuid?.() !== 0) return 'mounting needs root';
  const tried = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { encoding: 'utf8' });
  if (tried.status !== 0) return `unshare and mount do not work here: ${tried.error?.message ?? tried.stderr.trim()}`;
  return spawnSync('setpriv', ['--version']).status === 0 ? undefined : 'there is no setpriv';
}

/** Folders of this machine that replace the base image: its libraries, shell and npm. */
const base = [
  'usr',
  'bin',
  'sbin',
  'lib',
  'lib64',
  'etc/ssl',
  'etc/hosts',
  'etc/resolv.conf',
  'etc/passwd',
  'etc/group',
  'etc/nsswitch.conf',
];

/**
 * One stage of a Dockerfile as a folder: its files are copied and its commands run in it, on the base of this machine
 * with the Node of the tests, without a container engine.
 */
export class RootFs {
  readonly dir: string;
  readonly env: Record<string, string> = {
    PATH: '/opt/node/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    HOME: '/root',
    npm_config_cache: '/opt/npm',
    npm_config_prefer_offline: 'true',
    // For machines whose registry has its own certificate.
    NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
  };
  workdir = '/';
  user = '0:0';

  constructor(dir: string) {
    this.dir = dir;
    for (const path of ['proc', 'dev', 'tmp', 'opt/npm', 'opt/node/bin', 'root']) mkdirSync(join(dir, path), { recursive: true });
    for (const path of base.filter((one) => existsSync(`/${one}`))) {
      const isFolder = statSync(`/${path}`).isDirectory();
      mkdirSync(isFolder ? join(dir, path) : dirname(join(dir, path)), { recursive: true });
      if (!isFolder) copyFileSync(`/${path}`, join(dir, path));
    }
    copyFileSync(realpathSync(process.execPath), join(dir, 'opt/node/bin/node'));
  }

  /** Carries out the instructions. @param ignored what `.dockerignore` keeps from the builder */
  build({ instructions }: Stage, earlier: ReadonlyMap<string, RootFs>, ignored: (path: string) => boolean): void {
    for (const { name, rest } of instructions) {
      if (name === 'WORKDIR') mkdirSync(join(this.dir, (this.workdir = rest)), { recursive: true });
      else if (name === 'ENV') this.env[rest.slice(0, rest.indexOf('='))] = rest.slice(rest.indexOf('=') + 1);
      else if (name === 'USER') this.user = rest;
      else if (name === 'COPY') this.#copy(rest, earlier, ignored);
      else if (name === 'RUN') this.#run(rest);
      else if (!['EXPOSE', 'ENTRYPOINT', 'CMD', 'HEALTHCHECK'].includes(name)) throw new Error(`${name} is not known`);
    }
  }

  #copy(rest: string, earlier: ReadonlyMap<string, RootFs>, ignored: (path: string) => boolean): void {
    const parts = rest.split(/\s+/);
    const from = /^--from=(.+)$/.exec(parts[0] ?? '')?.[1];
    const source = from === undefined ? undefined : earlier.get(from);
    if (from !== undefined && source === undefined) throw new Error(`no stage ${from}`);
    const paths = parts.slice(from === undefined ? 0 : 1);
    const to = join(this.dir, this.workdir, paths.pop() ?? '');
    for (const path of paths) {
      const origin = source === undefined ? join(root, path) : join(source.dir, path);
      const isInto = rest.endsWith('/');
      cpSync(origin, isInto ? join(to, basename(path)) : to, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (file) => source !== undefined || !ignored(file.slice(root.length + 1)),
      });
    }
  }

  #run(command: string): void {
    const { status, stdout, stderr, error } = spawnSync('unshare', this.#args(['/bin/sh', '-c', command], {}), {
      env: this.env,
      encoding: 'utf8',
      timeout: 400_000,
    });
    if (status !== 0) throw new Error(`RUN ${command}: ${error?.message ?? `${stdout}\n${stderr}`}`);
  }

  /** Starts a command as the image's user. @param mounts folder of this machine by the path where it is mounted, read-only */
  start(
    command: readonly string[],
    mounts: Readonly<Record<string, string>>,
    writable: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    return spawn('unshare', this.#args(command, { mounts, writable }), { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  #args(
    command: readonly string[],
    run: { readonly mounts?: Readonly<Record<string, string>>; readonly writable?: Readonly<Record<string, string>> },
  ): string[] {
    const { mounts, writable = {} } = run;
    const dir = this.dir;
    const binds = [
      ...base.filter((one) => existsSync(`/${one}`) && statSync(`/${one}`).isDirectory()).map((one) => [`/${one}`, one, 'ro']),
      ['/dev', 'dev', 'rw'],
      ...(mounts === undefined ? [[npmCache(), 'opt/npm', 'rw']] : []),
      ...Object.entries(mounts ?? {}).map(([path, from]) => [from, path.slice(1), 'ro']),
      ...Object.entries(writable).map(([path, from]) => [from, path.slice(1), 'rw']),
    ];
    const lines = [
      'set -e',
      `mount --bind ${dir} ${dir}`,
      ...binds.flatMap(([from, to, mode]) => [
        `mkdir -p ${dir}/${to}`,
        `mount --rbind ${from} ${dir}/${to}`,
        ...(mode === 'ro' ? [`mount -o bind,remount,ro ${dir}/${to}`] : []),
      ]),
      `mount -t proc proc ${dir}/proc`,
      `mount -t tmpfs tmpfs ${dir}/tmp`,
      // Like a container: the image is read-only, and its user has no capabilities.
      ...(mounts === undefined ? [] : [`mount -o bind,remount,ro ${dir}`]),
      'shift',
      mounts === undefined
        ? `exec chroot ${dir} sh -c 'cd "$0" && exec "$@"' ${this.workdir} "$@"`
        : `exec chroot ${dir} setpriv --reuid ${this.user.split(':')[0]} --regid ${this.user.split(':')[1]} --clear-groups --no-new-privs --bounding-set=-all sh -c 'cd "$0" && exec "$@"' ${this.workdir} "$@"`,
    ];
    return ['--mount', 'sh', '-c', lines.join('\n'), 'sh', '--', ...command];
  }
}

/** Cache of downloaded packages. */
function npmCache(): string {
  const path = join(homedir(), '.npm');
  mkdirSync(path, { recursive: true });
  return path;
}
