/** Exit codes: done, the answer is no, wrong usage, the configuration is invalid, no gateway there, not allowed, ended by Ctrl-C. */
export const exitCodes = { yes: 0, no: 1, usage: 2, invalid: 3, unreachable: 4, forbidden: 5, interrupted: 130 } as const;

/** Flags that most commands have. */
export interface CommonFlags {
  /** `-c`. */
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
  /** False with `--no-color`. */
  readonly color?: boolean | undefined;
}

/** A command that can't do what it was asked: what is wrong, what to do about it, and the exit code. Caught by `runCli`. */
export class CommandError extends Error {
  readonly code: number;
  readonly hint: string | undefined;
  /** The code of an error that the admin API returned. */
  readonly reason: string | undefined;

  /** @param message without a full stop at its end; '' where everything was said already */
  constructor(code: number, message: string, hint?: string, reason?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.reason = reason;
  }
}

/** As it is on stderr. */
export function errorText({ message, hint }: Pick<CommandError, 'message' | 'hint'>): string {
  return message === '' ? '' : `error: ${message}\n${hint === undefined ? '' : `${hint}\n`}`;
}
