import type { Hits, NamedPattern } from './find/hits.ts';

/** A pattern of the operator. `each` calls `found` with every matching range, in time linear in the length of the text. */
export interface OperatorPattern {
  /** The pattern as the operator wrote it. */
  readonly source: string;
  each(text: string, found: (from: number, to: number) => void): void;
}

export type MediaRule = 'keep' | 'digest' | 'drop';

/** What is masked. Secrets are always masked, whatever the rules say. */
export interface RedactionRules {
  /** Paths of members: names, and `[*]` for every element of a list. */
  readonly fields: readonly string[];
  readonly patterns: ReadonlySet<NamedPattern>;
  readonly own: readonly OperatorPattern[];
  readonly media: MediaRule;
}

/** Finds known secrets, such as those of the configuration, in one-byte text. */
export type FindKnown = (text: string, hits: Hits) => void;

/** Number of masked matches, by kind. */
export type Counts = Record<string, number>;

/** A text could not be searched within the limits. Its body must not be kept. */
export class TooLarge extends Error {}
