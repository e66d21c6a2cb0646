import { describe, expect, it } from 'vitest';
import type { Suggestion } from '../../../../../core/logs/reader.ts';
import { matchingSuggestions } from './matching-suggestions.ts';

const field = (insert: string, from: number, to: number): Suggestion => ({ insert, from, to, kind: 'field', count: null, about: null });
const value = (insert: string, from: number, to: number): Suggestion => ({ insert, from, to, kind: 'value', count: 1, about: null });
const insertedTexts = (list: readonly Suggestion[]): string[] => list.map(({ insert }) => insert);

describe('fitting() with suggestions for an older text', () => {
  const fields = { text: 'p', cursor: 1, list: [field('provider:', 0, 1), field('prompt:', 0, 1), field('endpoint:', 0, 1)] };
  const values = { text: 'provider:', cursor: 9, list: [value('openai-main', 9, 9), value('azure-eu', 9, 9)] };

  it('returns those that still fit, with the range of the current text', () => {
    expect(matchingSuggestions(fields, 'p', 1)).toBe(fields.list);
    expect(matchingSuggestions(fields, 'prov', 4)).toEqual([field('provider:', 0, 4)]);
    expect(matchingSuggestions(fields, 'PR', 2)).toEqual([field('provider:', 0, 2), field('prompt:', 0, 2)]);
    expect(matchingSuggestions(values, 'provider:az', 11)).toEqual([value('azure-eu', 9, 11)]);
  });

  it.each([
    ['the name became a field', fields, 'provider:', 9],
    ['the value belongs to another field', values, 'model:openai', 12],
    ['a second term began', fields, 'p ', 2],
    ['a second value began', values, 'provider:a,', 11],
    ['the text changed before the term', fields, 'xp', 2],
    ['the text changed after the cursor', fields, 'p status:200', 1],
    ['the cursor is in another term', { text: 'p status', cursor: 1, list: [field('provider:', 0, 1)] }, 'p status', 8],
    ['the name is not a prefix of any field', fields, 'statu', 5],
  ])('returns none if %s', (_name, suggestions, text, cursor) => {
    expect(insertedTexts(matchingSuggestions(suggestions, text, cursor))).toEqual([]);
  });
});
