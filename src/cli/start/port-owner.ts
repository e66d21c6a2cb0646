import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process that listens on a local port or socket. */
export interface PortOwner {
  readonly pid: number;
  readonly command: string;
}

/** Searches `/proc`. Undefined on systems without it, and for processes of other users. */
export function findPortOwner(port: number): PortOwner | undefined {
  return findOwner(() => listeningInodes(port));
}

/** The same for a Unix socket in the file system. */
export function findSocketOwner(path: string): PortOwner | undefined {
  return findOwner(() => socketInodes(path));
}

function findOwner(find: () => Set<string>): PortOwner | undefined {
  try {
    const inodes = find();
    if (inodes.size === 0) return undefined;
    for (const name of readdirSync('/proc')) {
      if (/^\d+$/.test(name) && holdsSocket(name, inodes)) return { pid: Number(name), command: commandOf(name) };
    }
  } catch {
    // Without /proc the owner is unknown, and the error message omits it.
  }
  return undefined;
}

/** Rows of `/proc/net/tcp` in state 0A (listening) whose local port is this one, in hexadecimal. */
function listeningInodes(port: number): Set<string> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const row of readOr(table, '').split('\n').slice(1)) {
      const columns = row.trim().split(/\s+/);
      if (columns[1]?.endsWith(suffix) === true && columns[3] === '0A' && columns[9] !== undefined) inodes.add(`socket:[${columns[9]}]`);
    }
  }
  return inodes;
}

/** Rows of `/proc/net/unix` that accept connections (flag 00010000). A gateway binds to the path with its process id appended. */
function socketInodes(path: string): Set<string> {
  const inodes = new Set<string>();
  for (const row of readOr('/proc/net/unix', '').split('\n').slice(1)) {
    const [, , , flags, , , inode, bound = ''] = row.trim().split(/\s+/);
    if (flags === '00010000' && (bound === path || bound.replace(/\.\d+$/, '') === path)) inodes.add(`socket:[${inode}]`);
  }
  return inodes;
}

function holdsSocket(pid: string, inodes: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => inodes.has(linkOf(`/proc/${pid}/fd/${fd}`)));
  } catch {
    return false;
  }
}

function commandOf(pid: string): string {
  const args = readOr(`/proc/${pid}/cmdline`, '').split('\0').filter(Boolean);
  return shownCommand(args) || readOr(`/proc/${pid}/comm`, 'unknown').trim();
}

/** The program, with its script for Node and Python, truncated to one line. Other arguments may contain secrets. */
export function shownCommand([program = '', ...args]: readonly string[]): string {
  const script = /(?:^|\/)(?:node|python[\d.]*)$/.test(program) ? args.findIndex((word) => !word.startsWith('-')) : -1;
  const isCode = codeOptions.test(args[script - 1] ?? '');
  return [program, ...(script < 0 || isCode ? [] : args.slice(script, script + 1))].join(' ').slice(0, 80);
}

/** Options of Node and Python that are followed by code. */
const codeOptions = /^(?:-[a-zA-Z]*[cep]|--eval|--print)$/;

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}
