import { lstatSync, renameSync, type Stats, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { errorCode } from '../../../core/text/error-code.ts';

/** Longest path that a socket address holds on the systems in use. */
const mostBytes = 103;

/**
 * Listens on a socket in the file system. A path that is something else, or the socket of a living process, stays
 * untouched: only a socket that nobody listens on is replaced. With a `mode`, such as 0o660, the socket never has a
 * wider one. Rejects with the system's error. Gives what removes the socket, unless another process has replaced it; one
 * that cannot be removed stays, and is replaced by the next process that listens.
 */
export async function listenOnPath(server: Server | Binding, path: string, mode: number | undefined): Promise<() => void> {
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (before !== undefined && !before.isSocket()) throw fault('ENOTSOCK', path);
  if (before !== undefined && (await isAlive(path))) throw fault('EADDRINUSE', path);
  // Bound beside and renamed into place: the system would remove the bound name at the end, whoever has it by then.
  const own = `${path}.${process.pid}`;
  const bound = Buffer.byteLength(own) <= mostBytes ? own : path;
  if (bound === own || before !== undefined) remove(bound);
  await masked(mode, () => (typeof server === 'function' ? server(bound) : bind(server, bound)));
  const made = lstatSync(bound);
  if (bound !== path) renameSync(bound, path);
  return () => {
    try {
      if (isSame(lstatSync(path, { throwIfNoEntry: false }), made)) remove(path);
    } catch {
      // Whoever ends has more to do than this.
    }
  };
}

/** Makes a socket at a path and leaves it to somebody else to listen on. Throws the system's error. */
type Binding = (path: string) => void;

/** The socket is made before `make` returns, so that the narrower mask holds for nothing else. */
function masked<T>(mode: number | undefined, make: () => T): T {
  const before = mode === undefined ? undefined : process.umask(0o777 & ~mode);
  try {
    return make();
  } finally {
    if (before !== undefined) process.umask(before);
  }
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Somebody accepts connections there. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const settle = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    // Whatever else the system says, such as a full queue or a missing right, somebody may be there.
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
