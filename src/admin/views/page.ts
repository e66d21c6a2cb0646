import { wordMatcher } from '../../query/text.ts';

/** Which part of a long list is wanted. */
export interface PageQuery {
  /** Words that an entry must contain, separated by spaces. */
  readonly words: string;
  readonly limit: number;
  readonly offset: number;
}

/** Returns the entries of a page, and the number of all that match. @param textOf text of an entry that is searched */
export function pageOf<T>(
  all: readonly T[],
  { words, limit, offset }: PageQuery,
  textOf: (entry: T) => string,
): { readonly entries: readonly T[]; readonly total: number } {
  const matches = wordMatcher(words);
  const found = matches === undefined ? all : all.filter((entry) => matches(textOf(entry)));
  return { entries: found.slice(offset, offset + limit), total: found.length };
}
