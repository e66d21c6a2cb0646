import type { PageQuery } from '../views/page.ts';
import { numberIn } from './route.ts';

const defaultPageSize = 50;
const maxPageSize = 500;

/** Descriptions of the query parameters of a list. @param entries plural noun */
export const pageParameters = (entries: string, q: string): Readonly<Record<string, string>> => ({
  q,
  limit: `${entries} per page, from 1 to ${maxPageSize}; default: ${defaultPageSize}`,
  offset: `number of matching ${entries} before the page; default: 0`,
  around: `name of one of the matching ${entries}: returns the page that contains it, in place of that at \`offset\``,
});

/** @throws GatewayError `invalid_value` */
export const pageIn = (query: URLSearchParams): PageQuery => ({
  words: query.get('q') ?? '',
  limit: numberIn(query, 'limit', defaultPageSize, [1, maxPageSize]),
  offset: numberIn(query, 'offset', 0, [0, Number.MAX_SAFE_INTEGER]),
  around: query.get('around') ?? undefined,
});
