import { reasonOf } from '../config/read/files.ts';
import { GatewayError } from '../core/error.ts';
import { shellWord } from '../core/logs/curl.ts';
import { withoutFullStop } from '../core/text/wording.ts';

/** Exit codes: success, negative result, wrong usage, invalid configuration, gateway unreachable, not allowed, ended by Ctrl-C. */
export const exitCodes = { yes: 0, no: 1, usage: 2, invalid: 3, unreachable: 4, forbidden: 5, interrupted: 130 } as const;

/** Exit codes of a command that a signal ends after it has cleaned up. SIGHUP: the terminal was closed. */
export const signalCodes = { SIGINT: exitCodes.interrupted, SIGTERM: 143, SIGHUP: 129 } as const;
export type EndingSignal = keyof typeof signalCodes;
export const endingSignals: readonly EndingSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Name of the command that the arguments call: global flags before it have no values. */
export const commandName = (argv: readonly string[]): string | undefined => argv.find((word) => !word.startsWith('-'));

/** Description of `-c` for commands that can read standard input. */
export const fileOrStdin = 'configuration file, or - for standard input';

/** Flags that most commands have. */
export interface CommonFlags {
  /** `-c`. */
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Text of a command for the user to run with the same configuration file. */
export const sameFile = (command: string, { config }: CommonFlags): string =>
  config === undefined ? command : `${command} -c ${shellWord(config)}`;

/** A command failed. Has the message, a hint for the user, and the exit code. Caught by `runCli`. */
export class CommandError extends Error {
  readonly code: number;
  readonly hint: string | undefined;
  /** Error code returned by the admin API. */
  readonly reason: string | undefined;

  /** @param message without a final full stop; '' if everything was already printed */
  constructor(code: number, message: string, hint?: string, reason?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.reason = reason;
  }
}

/** Makes the gateway's own error the error of a command; anything else is a defect and stays as it is. */
export const asCommandError = (thrown: unknown, code: number): unknown =>
  thrown instanceof GatewayError ? new CommandError(code, withoutFullStop(thrown.message), thrown.hint) : thrown;

/** Reads a file that an argument names. @throws CommandError for wrong usage */
export function readNamed<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new CommandError(exitCodes.usage, `the file "${name}" cannot be read (${reasonOf(error)})`);
  }
}

/** @throws CommandError if the name of a file to write is empty: it would mean the working directory */
export function checkOutputName(name: string | undefined, insteadOfStdout?: string): void {
  if (name === '') throw new CommandError(exitCodes.usage, 'the name of the file to write is empty');
  if (name === '-' && insteadOfStdout !== undefined) throw new CommandError(exitCodes.usage, `"-" is not a file\n${insteadOfStdout}`);
}

/** Text for stderr. */
export function errorText({ message, hint }: Pick<CommandError, 'message' | 'hint'>): string {
  return message === '' ? '' : `error: ${message}\n${hint === undefined ? '' : `${hint}\n`}`;
}
