import fc from 'fast-check';
import { expect, it } from 'vitest';
import { includesFast } from './fast-search.ts';

const filler = 'the model reads "a_file" and calls {"tool":"_contro"} '.repeat(100);

it.each([
  ['"cache_control"', true, 'at its end', `${filler}"cache_control"`],
  ['"cache_control"', true, 'at its beginning', `"cache_control"${filler}`],
  ['"cache_control"', true, 'after a part of it', `${filler}_control"cache_control"${filler}`],
  ['"cache_control"', false, 'not if only its rarest part occurs', `_control" ${filler}`],
  ['"$schema"', true, 'with a rare character', `${filler}"$schema"${filler}`],
  ['é', true, 'with a character that is not ASCII', `${filler}é`],
  ['', true, 'if it is empty', filler],
  ['"url"', false, 'not if it does not occur', filler],
])('finds %s: %s, %s', (wanted, expected, _where, text) => {
  expect(includesFast(text, wanted)).toBe(expected);
});

it('finds what includes finds', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'b', '_', '"', 'é', '\\'), maxLength: 12 });
  const prefix = fc.constantFrom('', 'ab'.repeat(1500), '_a"'.repeat(1000));
  fc.assert(
    fc.property(part, prefix, fc.array(part), (wanted, before, parts) => {
      const text = before + parts.join('');
      return includesFast(text, wanted) === text.includes(wanted);
    }),
  );
});
