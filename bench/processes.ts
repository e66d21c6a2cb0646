import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A process that listens on loopback until it is stopped. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/**
 * Starts a command and waits until its port answers.
 * @throws Error with the command's own words when it ends first, or is not there after 20 s
 */
export async function start(command: readonly string[], port: number, env: Record<string, string> = {}): Promise<Running> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const failed = once(child, 'error').then(([error]) => (error as Error).message);
  let words = '';
  const keep = (chunk: Buffer): void => {
    words = (words + chunk.toString()).slice(-4000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  for (const end = Date.now() + 20_000; !(await listens(port)); await pause(50)) {
    const gone = child.pid === undefined ? await failed : child.exitCode;
    if (gone === null && Date.now() < end) continue;
    await stop(child);
    throw new Error(`${command.join(' ')} does not listen on ${port}${gone === null ? '' : ` (${gone})`}\n${words}`);
  }
  return { pid: child.pid ?? 0, port, [Symbol.asyncDispose]: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 5000);
  await ended;
  clearTimeout(late);
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Runs a command to its end and gives its standard output. @throws Error with its standard error when it fails */
export async function output(command: readonly string[], cwd?: string): Promise<string> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${err.slice(-2000)}${out.slice(-500)}`);
  return out;
}
