import { describe, expect, it } from 'vitest';
import { makeRow } from '../../../query/fixtures/rows.ts';
import { matcher } from '../../../query/match.ts';
import { parseFilter } from '../../../query/parse.ts';
import { sumOf } from './money.ts';
import { boundsOf, fixedRange, hasTimes, isRange, stepFor, term, withoutTimes, withRange } from './terms.ts';

const now = Date.UTC(2026, 10, 22, 9, 31);

describe('term()', () => {
  it.each(['support', 'two words', 'a,b', 'a:b', '*', 'gpt-*', '>5', '-x', '"', String.raw`\"`, 'https://x/y?z'])(
    'matches the value %j and nothing else',
    (model) => {
      const parsed = parseFilter(term('model', model), now);
      if ('problem' in parsed) throw new Error(parsed.problem.message);
      const matches = matcher(parsed.filter);
      expect([matches(makeRow({ model })), matches(makeRow({ model: `${model}!` }))]).toEqual([true, false]);
    },
  );

  it.each(['user', 'a.b', 'my key', 'a:b', 'a,b', '"', '%', 'ключ'])('matches a value of the metadata key %j', (key) => {
    const parsed = parseFilter(term(`meta.${key}`, 'v'), now);
    if ('problem' in parsed) throw new Error(parsed.problem.message);
    const matches = matcher(parsed.filter);
    expect([matches(makeRow({ meta: { [key]: 'v' } })), matches(makeRow({ meta: { [key]: 'w' } }))]).toEqual([true, false]);
  });
});

describe('time ranges', () => {
  it.each(['15m', '1h', '7d', 'all', fixedRange(now - 1000, now)])('%s is valid and can be parsed by the filter language', (range) => {
    expect(isRange(range)).toBe(true);
    expect(parseFilter(withRange('status:500', range), now)).toHaveProperty('filter');
  });

  it.each(['', 'x', '1y', '1h/2h', '/', '1/2', '2026-11-22 09:00/2026-11-22 10:00', null])('%j is not a valid range', (text) =>
    expect(isRange(text)).toBe(false),
  );

  it.each(['2026-11-22/2026-11-23', '2026-11-22T09:00/2026-11-22T09:30'])('%s covers the times in its name', (range) => {
    const parsed = parseFilter(withRange('', range), now);
    expect(parsed).toHaveProperty('filter', expect.objectContaining(boundsOf(range, now)));
  });

  it('are ignored if the filter contains times', () => expect(withRange('since:5m model:x', '1h')).toBe('since:5m model:x'));

  it.each([
    ['since:5m model:x', 'model:x'],
    ['model:x until:2026-11-01T00:00:00Z since:"2026-10-01" key:y', 'model:x key:y'],
    ['"a since:1h b" model:"x until:2h"', '"a since:1h b" model:"x until:2h"'],
    ['SINCE:1h', ''],
    ['upsince:1h', 'upsince:1h'],
  ])('replace the times in the filter %s', (filter, expected) => {
    expect([withoutTimes(filter), hasTimes(filter)]).toEqual([expected, expected !== filter]);
  });

  it('have the bounds they were created with', () =>
    expect(boundsOf(fixedRange(now - 5000, now), 0)).toEqual({ since: now - 5000, until: now }));

  it.each([
    [900_000, 60],
    [3_600_000, 60],
    [86_400_000, 1800],
    [30 * 86_400_000, 43_200],
    [400 * 86_400_000, 432_000],
  ])('a range of %i ms has buckets of %i s', (length, step) => expect(stepFor(length)).toBe(step));
});

it('sumOf() adds decimals exactly', () =>
  expect(sumOf(['0.1', '0.2', null, '1000000000000000000000'])).toBe('1000000000000000000000.300000000000000000'));
