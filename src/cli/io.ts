import { inspect } from 'node:util';
import { CommandError, exitCodes } from './command.ts';

/** Environment of a command, which tests replace. */
export interface CliIo {
  /** Results are written to `stdout`, everything else to `stderr`, so that output can be piped. */
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Reads all of standard input as text. Rejects with a CommandError on the second call. */
  readStdin(): Promise<string>;
  /** Prompts for one line; absent when standard input is not a terminal. Rejects with Interrupted. */
  ask?(question: string): Promise<string>;
  /** Aborts when the reader of standard output has closed it, so that a command with endless output can stop. */
  readonly stdoutClosed?: AbortSignal;
  /** True with `--no-color`. Known when a command runs. */
  noColor?(): boolean;
  /** Called with the secrets of each configuration that is loaded, before its plugins are imported and again before they are set up. */
  readonly onSecrets?: (secrets: readonly string[]) => Promise<void>;
  /** Called with the gateway that the command calls, to explain unexpected responses. */
  readonly onGateway?: (gateway: RemoteGateway) => void;
}

export interface RemoteGateway {
  /** Address of the gateway, for messages. */
  readonly shown: string;
  /** Fetches JSON. */
  get<T>(path: string): Promise<T>;
}

/** The user pressed Ctrl-C or Ctrl-D at a prompt. */
export class Interrupted extends Error {}

export interface CliStream {
  readonly fd?: number;
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Bytes buffered for the reader of a pipe. */
  readonly writableLength?: number;
  /** @param done called with the error if the text cannot be written */
  write(text: string, done?: (error?: Error | null) => void): unknown;
}

/** True for a terminal, unless `--no-color`, `NO_COLOR` or `TERM=dumb` turns colors off. */
export function hasColors(stream: CliStream, { env, noColor }: Pick<CliIo, 'env' | 'noColor'>): boolean {
  return stream.isTTY === true && noColor?.() !== true && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** Default width of a terminal, in columns. */
export const usualWidth = 100;

/** Width of a terminal in columns (some report 0); undefined for a pipe or a file. */
export const terminalWidth = ({ isTTY, columns }: CliStream): number | undefined => (isTTY === true ? columns || usualWidth : undefined);

/**
 * The io of this process.
 * @param handlesErrors also print the uncaught errors of the process; `start` does so itself
 */
export function processIo({ handlesErrors }: { readonly handlesErrors: boolean } = { handlesErrors: false }): CliIo {
  let isRead = false;
  const readOnce = (): Promise<string> => {
    if (isRead) throw new CommandError(exitCodes.usage, 'standard input is named twice and can be read once');
    isRead = true;
    return readStdin();
  };
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: workingDirectory(),
    readStdin: async () => readOnce(),
    ...(handlesErrors ? { onSecrets: maskUnexpected() } : {}),
    ...(process.stdin.isTTY ? { ask } : {}),
  };
}

/**
 * Prints uncaught errors, and from the first call of the result on also warnings, with all given secrets masked. Node would
 * print them as they are.
 */
function maskUnexpected(): (secrets: readonly string[]) => Promise<void> {
  const known = new Set<string>();
  let masked: ((text: string) => string) | undefined;
  process.on('uncaughtException', (error) => {
    const text = shown(error);
    process.stderr.write(`error: an internal error ended the command\n${masked?.(text) ?? text}\n`);
    process.exit(exitCodes.no);
  });
  return async (secrets) => {
    for (const secret of secrets) known.add(secret);
    if (masked !== undefined) return;
    const [{ createMask }, { onProcessWarning }] = await Promise.all([
      import('../core/secrets/mask.ts'),
      import('../telemetry/process-warnings.ts'),
    ]);
    const mask = (text: string): string => createMask([...known]).text(text);
    masked = mask;
    onProcessWarning(process, (warning) => void process.stderr.write(`warning of Node or of a plugin: ${mask(String(warning))}\n`));
  };
}

/** An object whose getters throw cannot be shown. */
function shown(error: unknown): string {
  try {
    return inspect(error);
  } catch {
    return 'It cannot be shown.';
  }
}

/** Ends the process if the directory was removed, as by a deployment that replaces it: no path can be resolved then. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    process.stderr.write('error: the working directory no longer exists\nChange to another one, and try again.\n');
    process.exit(exitCodes.no);
  }
}

/** Resolves when the buffered output has been written, which depends on the reader, or when the signal aborts. */
export async function flushed(stream: CliStream, signal?: AbortSignal): Promise<void> {
  if ((stream.writableLength ?? 0) === 0 || signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => resolve(undefined);
  signal?.addEventListener('abort', end);
  stream.write('', end);
  await promise;
  signal?.removeEventListener('abort', end);
}

async function readStdin(): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

/** Prompts are written to standard error, since standard output is for results. */
async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } catch (cause) {
    process.stderr.write('\n');
    throw new Interrupted('no response', { cause });
  } finally {
    lines.close();
  }
}
