import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonEvents } from './events.ts';
import { answerLimits } from './limits.ts';
import { flawOf } from './scan.ts';

const chunk = (content: string, more = ''): string =>
  `{"id":"c-1","choices":[{"delta":{"content":${content}},"finish_reason":null}]${more}}`;

describe('the events of a stream', () => {
  it.each([
    ['the same', [chunk('"a"'), chunk('"a"'), chunk('"a"')], true],
    ['another content', [chunk('"a"'), chunk('"bc"'), chunk('""')], true],
    ['content with escapes', [chunk('"a"'), chunk('"b"'), chunk('"\\"}\\n"')], true],
    ['two strings that change', [chunk('"a"', ',"pad":"x"'), chunk('"b"', ',"pad":"yz"'), chunk('"c"', ',"pad":"1"')], true],
    ['another shape', [chunk('"a"'), chunk('"b"'), '{"usage":{"total":3}}', chunk('"c"')], true],
    ['a string that is not closed', [chunk('"a"'), chunk('"b"'), chunk('"c')], false],
    ['a quote too many', [chunk('"a"'), chunk('"b"'), chunk('"c""')], false],
    ['a quote that is escaped away', [chunk('"a"'), chunk('"b"'), chunk('"c\\"')], false],
    ['an end that is missing', [chunk('"a"'), chunk('"b"'), chunk('"c"').slice(0, -1)], false],
    ['an end too many', [chunk('"a"'), chunk('"b"'), `${chunk('"c"')}}`], false],
    ['a start that is missing', [chunk('"a"'), chunk('"b"'), ` ${chunk('"c"').slice(1)}`], false],
    ['another start of the same length', [chunk('"a"'), chunk('"b"'), chunk('"c"').replace('{', '[')], false],
    ['a middle that differs', [chunk('"a"', ',"p":"x"'), chunk('"b"', ',"p":"y"'), chunk('"c"', ',"p":"z"').replace('null', 'nul:')], true],
    ['words', ['not json'], false],
    ['the end mark', ['[DONE]'], true],
    ['a list that is no end mark', [chunk('"a"'), '["DONE"]'], false],
    ['an empty list', [chunk('"a"'), '[]'], false],
    ['null', [chunk('"a"'), 'null'], false],
    ['a number', [chunk('"a"'), '7'], false],
    ['a text', [chunk('"a"'), '"b"'], false],
    ['an object behind blanks', [` ${chunk('"a"')}`, `\t\n${chunk('"b"')}`], true],
  ])('are values or not: %s', (_name, events, isJson) => {
    const checked = new JsonEvents();
    expect(events.map((data) => checked.isOne(data)).at(-1)).toBe(isJson);
  });

  it('are judged as a scan of each of them would', () => {
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
          expect([data, checked.isOne(data)]).toEqual([data, data.startsWith('{') && flawOf(data, answerLimits) === undefined]);
      }),
      { numRuns: 1000 },
    );
  });
});
