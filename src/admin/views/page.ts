import { wordMatcher } from '../../query/text.ts';
import type { ListPage } from '../api-types.ts';

/** Which part of a long list is wanted. */
export interface PageQuery {
  /** Words that an entry must contain, separated by spaces. */
  readonly words: string;
  readonly limit: number;
  readonly offset: number;
  /** Name of an entry: if it matches, the page that contains it is wanted. */
  readonly around?: string | undefined;
}

/** Returns the entries of a page. @param textOf text of an entry that is searched */
export function pageOf<T>(
  all: readonly T[],
  { words, limit, offset, around }: PageQuery,
  nameOf: (entry: T) => string,
  textOf: (entry: T) => string = nameOf,
): { readonly entries: readonly T[]; readonly page: ListPage } {
  const matches = wordMatcher(words);
  const found = matches === undefined ? all : all.filter((entry) => matches(textOf(entry)));
  const at = around === undefined ? -1 : found.findIndex((entry) => nameOf(entry) === around);
  const start = at < 0 ? offset : at - (at % limit);
  return { entries: found.slice(start, start + limit), page: { total: found.length, offset: start } };
}
