/** Why a change was not made: it is not possible (`no`), the arguments are wrong (`usage`), or the configuration is invalid (`invalid`). */
export type RefusalKind = 'no' | 'usage' | 'invalid';

/** A requested change that was not made: the problem and a hint. Shown by commands and the admin API. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  readonly hint: string | undefined;
  /** The argument that is wrong, as a member of the body in the admin API. */
  readonly param: string | undefined;

  /** @param message without a trailing full stop */
  constructor(kind: RefusalKind, message: string, hint?: string, param?: string) {
    super(message);
    this.kind = kind;
    this.hint = hint;
    this.param = param;
  }
}
