import { providers, stages } from '../../plugins/index.ts';
import { runCli } from '../../src/cli/index.ts';
import { type CliIo, Interrupted } from '../../src/cli/io.ts';

export interface RunResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** In place of an input: Ctrl-C. */
export const interrupt = Symbol('interrupt');

/** Runs a command in this process, with its own environment and terminal. */
export async function runHere(
  args: readonly string[],
  cwd: string,
  more: {
    readonly env?: Readonly<Record<string, string>>;
    readonly answers?: readonly (string | typeof interrupt)[];
    readonly stdin?: string;
    readonly isTty?: boolean;
    readonly columns?: number;
    /** Aborted when standard output is closed. */
    readonly stdoutClosed?: AbortSignal;
    /** Called after each write to standard output. */
    onStdout?(): void;
    /** Called with each text that is written to standard error. */
    onStderr?(text: string): void;
  } = {},
): Promise<RunResult> {
  let out = '';
  let err = '';
  const remaining = [...(more.answers ?? [])];
  const io: CliIo = {
    stdout: {
      write: (text: string, done?: () => void) => ((out += text), more.onStdout?.(), done?.()),
      isTTY: more.isTty === true,
      ...(more.columns === undefined ? {} : { columns: more.columns }),
    },
    stderr: { write: (text: string) => ((err += text), more.onStderr?.(text)) },
    env: more.env ?? {},
    cwd,
    ...(more.stdoutClosed === undefined ? {} : { stdoutClosed: more.stdoutClosed }),
    readStdin: () => Promise.resolve(more.stdin ?? ''),
    ...(more.answers === undefined
      ? {}
      : {
          ask: (question: string) => {
            io.stderr.write(`${question}\n`);
            const input = remaining.shift() ?? '';
            return input === interrupt ? Promise.reject(new Interrupted()) : Promise.resolve(input);
          },
        }),
  };
  const code = await runCli(args, io, { providers, stages });
  return { code, out, err };
}

/** Flags as a user types them: `{varFile: ['a', 'b'], json: true}` is `--var-file a --var-file b --json`. */
export const typed = (flags: object): string[] =>
  Object.entries(flags).flatMap(([key, value]: [string, unknown]) => {
    const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? [flag] : [value].flat().flatMap((one) => [flag, String(one)]);
  });
