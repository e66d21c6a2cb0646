import type { Hits, NamedPattern } from './find/hits.ts';

/** A pattern of the operator: calls `found` with each range that matches. Time is linear to the text. */
export interface OwnPattern {
  /** As written. */
  readonly source: string;
  each(text: string, found: (from: number, to: number) => void): void;
}

export type MediaRule = 'keep' | 'digest' | 'drop';

/** What is masked. Secrets are, whatever is written. */
export interface RedactionRules {
  /** Members by path: names, and `[*]` for each element of a list. */
  readonly fields: readonly string[];
  readonly patterns: ReadonlySet<NamedPattern>;
  readonly own: readonly OwnPattern[];
  readonly media: MediaRule;
}

/** Finds secrets that are known: those of the configuration, in one-byte text. */
export type FindKnown = (text: string, hits: Hits) => void;

/** How much was masked, by kind. */
export type Counts = Record<string, number>;

/** A text could not be looked through within bounds: its body must not be kept. */
export class TooLarge extends Error {}
