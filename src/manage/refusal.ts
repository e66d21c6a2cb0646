/** Why a change was not made: it cannot be, what was asked for is not usable, the configuration is not readable. */
export type RefusalKind = 'no' | 'usage' | 'invalid';

/** A change that was asked for and not made: what is wrong, and what to do about it. Commands and the admin API show it. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  readonly hint: string | undefined;

  /** @param message without a full stop at its end */
  constructor(kind: RefusalKind, message: string, hint?: string) {
    super(message);
    this.kind = kind;
    this.hint = hint;
  }
}
