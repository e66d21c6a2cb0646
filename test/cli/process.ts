import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { inject } from 'vitest';

export const main = inject('command');

/** Longer than a busy machine needs, and shorter than the limit of a test, so that its error shows the output. */
const maxWaitMs = 200_000;

export interface ProcessResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A running command: its output so far, and ways to wait for more. */
export interface Running {
  readonly child: ChildProcess;
  out(): string;
  err(): string;
  /** Resolves once the output matches; rejects with the whole output if the command ends before, or does not write it for long. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<ProcessResult>;
}

/** Runs the command line like a user, in a folder, with only PATH of our environment. */
export function startProcess(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Running {
  // Tests run in parallel, so the default address of the dashboard is only used by tests that name it.
  const quiet = args[0] === 'start' && !args.some((arg) => arg.includes('admin')) ? ['--no-admin'] : [];
  const child = spawn(process.execPath, [main, ...args.slice(0, 1), ...quiet, ...args.slice(1)], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  const listeners = new Set<() => void>();
  const notify = (): void => listeners.forEach((one) => one());
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString();
    notify();
  });
  child.stderr.on('data', (data: Buffer) => {
    err += data.toString();
    notify();
  });
  const ended = new Promise<ProcessResult>((resolve) => child.once('close', (code) => resolve({ code, out, err })));
  const waitForOutput = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(`${why} ${String(pattern)} was seen:\n${out}\n${err}`));
      const timer = setTimeout(() => fail('it waited in vain until'), maxWaitMs);
      const one = (): void => {
        const match = pattern.exec(out);
        if (match === null) return;
        listeners.delete(one);
        clearTimeout(timer);
        resolve(match);
      };
      listeners.add(one);
      one();
      void ended.then(() => fail('it ended before'));
    });
  return { child, out: () => out, err: () => err, waitForOutput, ended };
}

/** Runs a command to its end. */
export async function run(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  stdin = '',
): Promise<ProcessResult> {
  const running = startProcess(args, cwd, env);
  running.child.stdin?.end(stdin);
  return running.ended;
}

/** Runs a command whose standard output cannot be written, because the disk is full. */
export async function runOnFullDisk(args: readonly string[], cwd: string): Promise<ProcessResult> {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [main, ...args], { cwd, stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  let err = '';
  child.stderr?.on('data', (piece: Buffer) => (err += piece.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out: '', err };
}
