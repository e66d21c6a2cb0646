/** What was found, by its name in settings, in records and in what replaces it. */
export type Kind = 'email' | 'phone' | 'iban' | 'credit_card' | 'secret' | 'field' | 'media' | 'pattern' | 'logprobs';

/** Patterns that can be switched on by name. */
export const namedPatterns = ['email', 'phone', 'iban', 'credit_card'] as const;
export type NamedPattern = (typeof namedPatterns)[number];

/** Ranges of one text, in the order in which they were found; they may overlap. */
export class Hits {
  readonly from: number[] = [];
  readonly to: number[] = [];
  readonly kinds: Kind[] = [];
  /** What to write, where it is more than the name of the kind. */
  readonly words: (string | undefined)[] = [];
  /** Where finds end: what follows directly begins there like behind a space. */
  readonly ends = new Set<number>();

  get count(): number {
    return this.from.length;
  }

  add(kind: Kind, from: number, to: number, words?: string): void {
    this.from.push(from);
    this.to.push(to);
    this.kinds.push(kind);
    this.words.push(words);
    this.ends.add(to);
  }
}

/** What replaces a find. It contains nothing that any finder finds, and no character that JSON escapes. */
export const placeholder = (kind: Kind): string => placeholders[kind];

const placeholders: Readonly<Record<Kind, string>> = {
  email: '[email]',
  phone: '[phone]',
  iban: '[iban]',
  credit_card: '[credit_card]',
  secret: '[secret]',
  field: '[field]',
  media: '[media]',
  pattern: '[pattern]',
  logprobs: '[logprobs]',
};
