import type { Field } from './fields.ts';

/** A filter that was read: all terms must hold, and the row must have arrived in [since, until). */
export interface Filter {
  /** Unix milliseconds; the latest of all that were written. */
  readonly since: number | null;
  /** Unix milliseconds; the earliest of all that were written. */
  readonly until: number | null;
  readonly terms: readonly Term[];
}

export type Term = FieldTerm | WordsTerm;

interface TermBase {
  readonly negated: boolean;
  /** Where it is in the text of the filter. */
  readonly from: number;
  readonly to: number;
}

/** Holds where one of its tests does; where the field has no value, only `none` holds. */
export interface FieldTerm extends TermBase {
  readonly kind: 'field';
  readonly field: Field;
  /** For `meta.*` and `label.*`: which; else empty. */
  readonly key: string;
  readonly any: readonly Test[];
}

/** Holds where the searched texts have all words of one of the phrases next to each other; the last one may be a beginning. */
export interface WordsTerm extends TermBase {
  readonly kind: 'words';
  readonly any: readonly (readonly string[])[];
}

export type Comparison = '<' | '<=' | '>' | '>=';

/** Money is a bigint (see money.ts), durations are milliseconds. */
export type Test =
  | { readonly kind: 'equal'; readonly value: string | number | bigint | boolean }
  | { readonly kind: 'compare'; readonly by: Comparison; readonly value: number | bigint }
  /** `from` included, `to` not. */
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  /** Texts with anything between them; at least two, the first and the last are where the value begins and ends. */
  | { readonly kind: 'like'; readonly parts: readonly string[] }
  /** There is a value, and it is not empty. */
  | { readonly kind: 'some' }
  /** There is none, or it is empty. */
  | { readonly kind: 'none' };

/** Why a text is no filter. */
export interface FilterProblem {
  readonly message: string;
  readonly hint: string | null;
  /** Offsets in the text. */
  readonly from: number;
  readonly to: number;
}

/** Characters of a filter, and values in it. */
export const longestFilter = 2000;
export const mostValues = 64;
/** Wildcards in one value. */
export const mostWildcards = 8;

/** Thrown while a filter is read; never leaves this folder. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly problem: FilterProblem;

  constructor(message: string, at: { readonly from: number; readonly to: number }, hint: string | null = null) {
    super(message);
    this.problem = { message, hint, from: at.from, to: at.to };
  }
}
