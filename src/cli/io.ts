import { CommandError, exitCodes } from './command.ts';

/** The world outside a command: exchanged by tests. */
export interface CliIo {
  /** The answer goes to `stdout`, everything else to `stderr`, so that pipes stay clean. */
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** All of standard input, as text. Rejects with a CommandError the second time. */
  readStdin(): Promise<string>;
  /** One line from a person; absent where nobody sits at a terminal. Rejects with Interrupted. */
  ask?(question: string): Promise<string>;
  /** Aborts when nobody reads standard output any more: a command that would print without end has done its work. */
  readonly unread?: AbortSignal;
  /** Called with the gateway that the command calls, for the explanation of what it sends. */
  readonly asks?: (gateway: RemoteGateway) => void;
}

export interface RemoteGateway {
  /** For people: where it is. */
  readonly shown: string;
  /** The JSON of a response. */
  get<T>(path: string): Promise<T>;
}

/** The person pressed Ctrl-C or Ctrl-D in place of an answer. */
export class Interrupted extends Error {}

export interface CliStream {
  readonly fd?: number;
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Bytes that wait for the reader of a pipe. */
  readonly writableLength?: number;
  write(text: string, done?: () => void): unknown;
}

/** Colour only on a terminal; off with `NO_COLOR`, `TERM=dumb` or the flag. */
export function hasColors(stream: CliStream, env: CliIo['env'], isWanted = true): boolean {
  return isWanted && stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** Columns where nothing says how wide the terminal is. */
export const usualWidth = 100;

/** Columns of a terminal, of which some say 0; undefined for a pipe or a file. */
export const terminalWidth = ({ isTTY, columns }: CliStream): number | undefined => (isTTY === true ? columns || usualWidth : undefined);

/** The io of this process. */
export function processIo(): CliIo {
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
    cwd: process.cwd(),
    readStdin: async () => readOnce(),
    ...(process.stdin.isTTY ? { ask } : {}),
  };
}

/** Resolves when all that was written has left, at the pace of whoever reads it. */
export async function written(stream: CliStream): Promise<void> {
  if ((stream.writableLength ?? 0) > 0) await new Promise<void>((resolve) => stream.write('', resolve));
}

async function readStdin(): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

/** Questions go to standard error: standard output is for the answer. */
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
