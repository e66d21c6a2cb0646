import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { fields } from './fields.ts';
import { readFilter } from './read-filter.ts';
import { parseFilter } from './parse.ts';

const now = Date.parse('2026-11-22T12:00:00Z');

type Problem = readonly [text: string, message: string, at: string, hint?: string];

/** Filter, error message, and the characters to which the message refers. */
const problems: readonly Problem[] = [
  ['modle:gpt-4o', 'Unknown field "modle".', 'modle', 'Did you mean "model"?'],
  ['status:200 tokenin:>5', 'Unknown field "tokenin".', 'tokenin', 'Did you mean "tokens_in"?'],
  ['https://example.org', 'Unknown field "https".', 'https', 'Put text with a colon in quotes to search for it.'],
  ['meta:u42', '"meta" needs a name after a dot.', 'meta', 'Example: meta.team:web.'],
  ['label.:x', '"label" needs a name after a dot.', 'label.'],
  ['status.x:200', 'Unknown field "status.x".', 'status.x'],
  ['config:', '"config" needs a value.', '', 'Example: config:support.'],
  ['status: 200', '"status" needs a value.', ''],
  ['status:200,,201', '"status" needs a value.', ''],
  ['status:abc', '"status" is a number, not "abc".', 'abc', 'Example: status:>=400.'],
  ['status:2*', '"status" accepts no wildcard other than a single *.', '2*'],
  ['latency:>2x', '"latency" is a duration, not "2x".', '>2x', 'Example: latency:>2s.'],
  ['latency:>', '"latency" is a duration, not "".', '>'],
  ['cost:>1e-3', '"cost" is an amount of dollars, not "1e-3".', '>1e-3'],
  ['cost:""x', '"cost" is an amount of dollars, not "x".', '""x'],
  ['fallback:maybe', '"fallback" is true or false, not "maybe".', 'maybe'],
  ['model:>gpt', '"model" is a text: > compares numbers.', '>gpt'],
  ['model:a*b*c*d*e*f*g*h*i*j', 'A value has at most 8 wildcards.', 'a*b*c*d*e*f*g*h*i*j'],
  ['since:yesterday', '"yesterday" is not a time.', 'yesterday'],
  ['since:2026-02-30', '"2026-02-30" is not a time.', '2026-02-30'],
  ['since:2026-11-21T25:00', '"2026-11-21T25:00" is not a time.', '2026-11-21T25:00'],
  ['since:-1h', '"-1h" is not a time.', '-1h'],
  ['until:-0s', '"-0s" is not a time.', '-0s'],
  ['since:', '"since" needs a value.', ''],
  ['since:1h,2h', '"since" accepts one time.', '2h'],
  ['-since:1h', '"since" cannot be negated.', '-since:1h', 'Use "until".'],
  ['key:"abc', 'A quote is not closed.', '"abc'],
  ['status:200 -', 'No word to search for in "-".', '-'],
  ['latency > 2s', 'No word to search for in ">".', '>', 'Write a comparison without spaces: latency:>2s.'],
  ['(status:200', 'No field name in front of the colon of "(status:200".', '(status:200'],
  [`status:${'1,'.repeat(64)}1`, 'A filter has at most 64 values.', `status:${'1,'.repeat(64)}1`],
  ['meta.a\0b:x', 'A key has no NUL, no broken character and at most 400 characters.', 'meta.a\0b'],
];

describe('parseFilter with an invalid filter', () => {
  it.each(problems.map((row) => ({ row })))('reports the problem: $row', ({ row: [text, message, at, hint] }) => {
    const parsed = parseFilter(text, now);
    expect(parsed).toMatchObject({ problem: { message } });
    if (!('problem' in parsed)) return;
    expect(text.slice(parsed.problem.from, parsed.problem.to)).toBe(at);
    if (hint !== undefined) expect(parsed.problem.hint).toBe(hint);
  });

  it('rejects a filter that is too long', () => {
    expect(parseFilter('a '.repeat(1001), now)).toMatchObject({ problem: { message: 'A filter has at most 2000 characters.' } });
  });

  it('readFilter throws invalid_filter with the position', () => {
    expect(() => readFilter('status:200 modle:x', now)).toThrow(
      expect.objectContaining({
        code: 'invalid_filter',
        message: 'Character 12 of the filter: Unknown field "modle".',
        hint: 'Did you mean "model"?',
      }),
    );
  });
});

describe('the table of fields', () => {
  it.each(fields)('has a valid example for $name', ({ name, example }) => {
    expect(parseFilter(`${name.replace('*', 'x')}:${example}`, now)).toHaveProperty('filter');
  });
});

describe('parseFilter with any text', () => {
  it('returns a filter or a problem with a position in the text, and never throws', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('status:', 'meta.', '-', '"', ',', '*', '>', '\\', ' ', ':', 'since:'),
    );
    const filterTexts = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(filterTexts, (text) => {
        const parsed = parseFilter(text, now);
        if ('problem' in parsed) {
          const { from: start, to: end } = parsed.problem;
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThanOrEqual(start);
          expect(end).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

it.each([
  ['latency:1s', 'latency:1000'],
  ['latency:>1.5s', 'latency:>1500ms'],
  ['latency:1m', 'latency:60000'],
  ['latency:1MIN', 'latency:60000'],
  ['latency:1h', 'latency:3600000'],
  ['latency:1d', 'latency:86400000'],
  ['tokens_in:=2k', 'tokens_in:2000'],
  ['tokens_in:2M', 'tokens_in:2000000'],
  ['tokens_in:1.001k', 'tokens_in:1001'],
  ['tokens_in:>=4.1m', 'tokens_in:>=4100000'],
  ['latency:1.001s', 'latency:1001'],
  ['since:90s', 'since:2026-11-22T11:58:30'],
  ['since:1d', 'since:2026-11-21T12:00:00.000Z'],
  ['until:2026-11-22', 'until:2026-11-22T01:00+01:00'],
  ['cost:$1.50', 'cost:1.5'],
])('parseFilter reads %s like %s', (first, second) => {
  expect(meaningOf(first)).toEqual(meaningOf(second));
});

it('a status class ends before the next one', () => {
  expect(meaningOf('status:4xx')).toMatchObject({ tests: [{ kind: 'range', from: 400, to: 500 }] });
});

function meaningOf(text: string): object {
  const parsed = parseFilter(text, now);
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  const { since, until, terms } = parsed.filter;
  return { since, until, tests: terms.flatMap(({ any }) => [...any]) };
}
