/** The kind of a match, as named in settings, in records and in placeholders. */
export type Kind = 'email' | 'phone' | 'iban' | 'credit_card' | 'secret' | 'field' | 'media' | 'pattern' | 'logprobs';

/** Patterns that can be enabled by name. */
export const namedPatterns = ['email', 'phone', 'iban', 'credit_card'] as const;
export type NamedPattern = (typeof namedPatterns)[number];

/** Matched ranges of one text, in the order found. They may overlap. */
export class Hits {
  readonly from: number[] = [];
  readonly to: number[] = [];
  readonly kinds: Kind[] = [];
  /** The replacement, if it is more than the placeholder of the kind. */
  readonly replacements: (string | undefined)[] = [];
  /** End offsets of matches. A number may begin directly at one, as it may after a space. */
  readonly ends = new Set<number>();

  get count(): number {
    return this.from.length;
  }

  clear(): void {
    if (this.count === 0) return;
    for (const list of [this.from, this.to, this.kinds, this.replacements]) list.length = 0;
    this.ends.clear();
  }

  add(kind: Kind, from: number, to: number, replacement?: string): void {
    this.from.push(from);
    this.to.push(to);
    this.kinds.push(kind);
    this.replacements.push(replacement);
    this.ends.add(to);
  }
}

/** The replacement for a match. No finder matches it, and it has no character that JSON escapes. */
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
