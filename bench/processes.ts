import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A process that listens on loopback until it is stopped. */
export interface RunningProcess extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  /** Sends a message to `ipc-agent.mjs`, if the process has loaded it, and returns the response. */
  ask(question: string): Promise<unknown>;
}

export interface StartOptions {
  /** File for the process's output, so that no other process spends CPU time on reading it during a measurement. */
  readonly log?: string;
  /** True if the process loads `ipc-agent.mjs` (`--import`). */
  readonly loadsAgent?: boolean;
}

/** Returns a port that was free at the time of the call. */
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
 * Starts a command and waits until its port accepts connections.
 * @throws Error with the command's output if it exits first, or does not listen within 20 s
 */
export async function startProcess(
  command: readonly string[],
  port: number,
  env: Record<string, string> = {},
  { log, loadsAgent = false }: StartOptions = {},
): Promise<RunningProcess> {
  const [file = '', ...args] = command;
  const out = log === undefined ? 'pipe' : openSync(log, 'a');
  const child = spawn(file, args, {
    stdio: ['ignore', out, out, ...(loadsAgent ? ['ipc' as const] : [])],
    env: { ...process.env, ...env },
  });
  if (typeof out === 'number') closeSync(out);
  const failed = once(child, 'error').then(([error]) => (error as Error).message);
  let processOutput = '';
  const keep = (chunk: Buffer): void => {
    processOutput = (processOutput + chunk.toString()).slice(-4000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  for (const end = Date.now() + 20_000; !(await listens(port)); await pause(50)) {
    const exitReason = child.pid === undefined ? await failed : child.exitCode;
    if (exitReason === null && Date.now() < end) continue;
    await stop(child);
    if (log !== undefined) processOutput = readFileSync(log, 'utf8').slice(-4000);
    throw new Error(`${command.join(' ')} does not listen on ${port}${exitReason === null ? '' : ` (${exitReason})`}\n${processOutput}`);
  }
  return { pid: child.pid ?? 0, port, ask: (question) => sendCommand(child, question), [Symbol.asyncDispose]: () => stop(child) };
}

async function sendCommand(child: ChildProcess, question: string): Promise<unknown> {
  const received = once(child, 'message', { signal: AbortSignal.timeout(60_000) });
  child.send(question);
  const [message] = (await received) as [unknown];
  return message;
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

/** Runs a command and returns its standard output. @throws Error with its standard error if it fails */
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
