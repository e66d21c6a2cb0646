import { describe, expect, it } from 'vitest';
import { selectRows, type Page, pageParamsOf } from './pages.ts';

const page = (ids: string, token?: string): Page => ({ rows: ids.split('').map((id) => ({ id })), token });
const idOf = (row: { id?: unknown }): string => String(row.id);
const selectFrom = (pages: readonly Page[], after: string | undefined, limit: number) => {
  const { rows, hasMore, next, isFound } = selectRows(pages, idOf, { after, limit });
  return [rows.map(idOf).join(''), hasMore, next, isFound];
};

describe('selectRows', () => {
  it.each<[string, readonly Page[], string | undefined, number, readonly unknown[]]>([
    ['the first page', [page('abc', 't')], undefined, 3, ['abc', true, undefined, true]],
    ['the only page', [page('abc')], undefined, 3, ['abc', false, undefined, true]],
    ['a page longer than the limit', [page('abc')], undefined, 2, ['ab', true, undefined, true]],
    ['a page shorter than the limit', [page('ab', 't')], undefined, 3, ['ab', true, 't', true]],
    ['rows after an id', [page('abcd')], 'b', 5, ['cd', false, undefined, true]],
    ['rows after the last id of a page', [page('ab', 't')], 'b', 2, ['', true, 't', true]],
    ['rows of two pages', [page('ab', 't'), page('cd', 'u')], 'b', 2, ['cd', true, undefined, true]],
    ['an id that is not found yet', [page('ab', 't')], 'x', 2, ['', true, 't', false]],
    ['an id that is not found', [page('ab')], 'x', 2, ['', false, undefined, false]],
    ['an empty page', [page('')], undefined, 2, ['', false, undefined, true]],
  ])('returns the rows after an id: %s', (_, pages, after, limit, expected) => expect(selectFrom(pages, after, limit)).toEqual(expected));
});

describe('wantedOf', () => {
  it.each([
    ['', 20, undefined],
    ['limit=5&after=x', 5, 'x'],
    ['after=&limit=', 20, undefined],
  ])('reads limit and after of "%s"', (query, limit, after) => expect(pageParamsOf({ query }, 20, 100)).toEqual({ limit, after }));

  it.each([
    ['limit=0', 'integer_below_min_value'],
    ['limit=-1', 'integer_below_min_value'],
    ['limit=101', 'integer_above_max_value'],
    ['limit=1.5', 'invalid_type'],
    ['limit=many', 'invalid_type'],
  ])('rejects %s with 400', (query, code) => {
    expect(() => pageParamsOf({ query }, 20, 100)).toThrow(expect.objectContaining({ code, param: 'limit', status: 400 }) as Error);
  });
});
