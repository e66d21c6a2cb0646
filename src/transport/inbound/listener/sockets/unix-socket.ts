import { lstatSync, renameSync, type Stats, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { errorCode } from '../../../../core/text/error-code.ts';

/** Maximum length of a socket path on the supported systems, in bytes. */
const maxBytes = 103;

/**
 * Listens on a Unix socket. A path that is not a socket, or the socket of a running process, is left alone: only a
 * socket without a listener is replaced. With a `mode`, such as 0o660, the socket never has wider permissions. Rejects
 * with the system's error. Returns a function that removes the socket, unless another process has replaced it. A socket
 * that cannot be removed stays, and the next process that listens replaces it.
 */
export async function listenOnPath(bind: BindFunction, path: string, mode: number | undefined): Promise<() => void> {
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (before !== undefined && !before.isSocket()) throw fault('ENOTSOCK', path);
  if (before !== undefined && (await hasListener(path))) throw fault('EADDRINUSE', path);
  // Bound under a temporary name and renamed: on close, libuv would delete the bound name, even if another process owns it by then.
  const temporaryPath = `${path}.${process.pid}`;
  const bound = Buffer.byteLength(temporaryPath) <= maxBytes ? temporaryPath : path;
  if (bound === temporaryPath || before !== undefined) remove(bound);
  await withUmask(mode, () => bind(bound));
  const made = lstatSync(bound);
  if (bound !== path) renameSync(bound, path);
  return () => {
    try {
      if (isSame(lstatSync(path, { throwIfNoEntry: false }), made)) remove(path);
    } catch {
      // A failure here must not disturb the shutdown.
    }
  };
}

/** Binds a socket to a path before it returns. It may listen on it too. Throws or rejects with the system's error. */
type BindFunction = (path: string) => void | Promise<void>;

/** The socket is created synchronously within `make`, so the changed umask affects nothing else. */
function withUmask<T>(mode: number | undefined, make: () => T): T {
  const before = mode === undefined ? undefined : process.umask(0o777 & ~mode);
  try {
    return make();
  } finally {
    if (before !== undefined) process.umask(before);
  }
}

/** Resolves to true if a process accepts connections on the path. */
function hasListener(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const settle = (isAlive: boolean): void => {
      socket.destroy();
      resolve(isAlive);
    };
    socket.once('connect', () => settle(true));
    // Any other error, such as a full queue or a missing permission, may come from a running process.
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'));
  });
}

function isSame(now: Stats | undefined, made: Stats): boolean {
  return now !== undefined && now.ino === made.ino && now.dev === made.dev;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

function fault(code: 'ENOTSOCK' | 'EADDRINUSE', path: string): NodeJS.ErrnoException {
  const what = code === 'ENOTSOCK' ? 'it exists and is not a socket' : 'another process listens on it';
  return Object.assign(new Error(`${path}: ${what}`), { code, path });
}
