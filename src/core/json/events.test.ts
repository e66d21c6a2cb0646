import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonEvents } from './events.ts';
import { responseLimits } from './limits.ts';
import { flawOf } from './scan.ts';

const chunk = (content: string, extra = ''): string =>
  `{"id":"c-1","choices":[{"delta":{"content":${content}},"finish_reason":null}]${extra}}`;

describe('JsonEvents', () => {
  it.each([
    ['equal events', [chunk('"a"'), chunk('"a"'), chunk('"a"')], true],
    ['another content', [chunk('"a"'), chunk('"bc"'), chunk('""')], true],
    ['content with escapes', [chunk('"a"'), chunk('"b"'), chunk('"\\"}\\n"')], true],
    ['two strings that differ', [chunk('"a"', ',"pad":"x"'), chunk('"b"', ',"pad":"yz"'), chunk('"c"', ',"pad":"1"')], true],
    ['another shape', [chunk('"a"'), chunk('"b"'), '{"usage":{"total":3}}', chunk('"c"')], true],
    ['a string that is not closed', [chunk('"a"'), chunk('"b"'), chunk('"c')], false],
    ['an extra quote', [chunk('"a"'), chunk('"b"'), chunk('"c""')], false],
    ['an escaped closing quote', [chunk('"a"'), chunk('"b"'), chunk('"c\\"')], false],
    ['a missing closing bracket', [chunk('"a"'), chunk('"b"'), chunk('"c"').slice(0, -1)], false],
    ['an extra closing bracket', [chunk('"a"'), chunk('"b"'), `${chunk('"c"')}}`], false],
    ['a missing opening bracket', [chunk('"a"'), chunk('"b"'), ` ${chunk('"c"').slice(1)}`], false],
    ['another opening bracket', [chunk('"a"'), chunk('"b"'), chunk('"c"').replace('{', '[')], false],
    ['a middle that differs', [chunk('"a"', ',"p":"x"'), chunk('"b"', ',"p":"y"'), chunk('"c"', ',"p":"z"').replace('null', 'nul:')], true],
    ['words', ['not json'], false],
    ['the end mark', ['[DONE]'], true],
    ['a list that is not the end mark', [chunk('"a"'), '["DONE"]'], false],
    ['an empty list', [chunk('"a"'), '[]'], false],
    ['null', [chunk('"a"'), 'null'], false],
    ['a number', [chunk('"a"'), '7'], false],
    ['a string', [chunk('"a"'), '"b"'], false],
    ['an object after blanks', [` ${chunk('"a"')}`, `\t\n${chunk('"b"')}`], true],
  ])('reports whether the last event is one JSON value: %s', (_name, events, isJson) => {
    const checked = new JsonEvents();
    expect(events.map((data) => checked.isValid(data)).at(-1)).toBe(isJson);
  });

  it('agrees with a full scan of each event', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '"', '\\', '{', '}', '[', ']', ',', ':'), maxLength: 6 });
    const event = fc.oneof(
      fc.tuple(text, text).map(([a, b]) => `{"x":"${a}","y":[1,{"z":"${b}"}]}`),
      fc.tuple(text, text).map(([a, b]) => JSON.stringify({ x: a, y: [1, { z: b }] })),
      text,
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const checked = new JsonEvents();
        for (const data of events)
          expect([data, checked.isValid(data)]).toEqual([data, data.startsWith('{') && flawOf(data, responseLimits) === undefined]);
      }),
      { numRuns: 1000 },
    );
  });
});
