import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonTap } from '../../../formats/shared/response/json-tap.ts';
import { completeMembers } from '../../../core/json/scan.ts';
import { BodyEnds, lastMembers } from './body-ends.ts';

const usage = { input_tokens: 3, output_tokens: 4 };
const parsed = (text: string) => JSON.parse(lastMembers(text) ?? 'null') as object | null;

describe('lastMembers', () => {
  it.each([
    [{ data: ['x'], usage }, { usage }],
    [
      { data: [], model: 'm', usage, user: null },
      { model: 'm', usage, user: null },
    ],
    [
      { usage, model: 'm' },
      { usage, model: 'm' },
    ],
    [
      { data: [{ usage: 1 }], usage, metadata: { usage: 'x', model: 'y' } },
      { usage, metadata: { usage: 'x', model: 'y' } },
    ],
    [{ data: [{ model: 'm', usage }] }, null],
    [{ data: ['}],"usage":{"input_tokens":9}}'] }, null],
    [{ data: ['\\', ',"usage":{}}'] }, null],
    [{ data: [] }, null],
  ])('of %j are %j', (object, expected) => {
    for (const indent of [undefined, 2]) expect(parsed(JSON.stringify({ first: 1, ...object }, null, indent))).toEqual(expected);
  });

  it('of any object are among its own, wherever its text is cut', () => {
    const inner = fc.dictionary(fc.constantFrom('usage', 'model', 'a"b', '\\'), fc.jsonValue({ maxDepth: 3 }));
    const key = fc.constantFrom('usage', 'model', 'data', 'x');
    fc.assert(
      fc.property(fc.dictionary(key, fc.oneof(inner, fc.array(inner), fc.string())), fc.nat(80), (object, cut) => {
        const members = parsed(JSON.stringify(object).slice(cut));
        if (members !== null) expect(object).toMatchObject(members);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('BodyEnds', () => {
  const large = 'ü'.repeat(50_000);
  const metadata = { a: 'x'.repeat(9000) };

  function read(object: object, size = 16_384): JsonTap {
    const bytes = Buffer.from(JSON.stringify(object));
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
    const ends = new BodyEnds(chunks.slice(0, 5));
    for (const chunk of chunks.slice(5)) ends.push(chunk);
    const tap = new JsonTap();
    ends.readInto(tap);
    return tap;
  }

  it.each([1, 3, 1000, 16_383, 16_384, 16_385, 70_000, 1_000_000])('give a tap the usage of a body in chunks of %i bytes', (size) => {
    const tap = read({ data: [large], model: 'm', usage, metadata }, size);
    expect([tap.usage, tap.model]).toEqual([{ prompt: 3, completion: 4 }, 'm']);
  });

  it.each([
    ['before the data', { id: 'i', model: 'm', usage, data: [large] }],
    ['on both sides of the data', { id: 'i', model: 'm', data: [large], usage }],
    ['after the data', { data: [large], usage, id: 'i', model: 'm' }],
    ['before the data and a large end', { id: 'i', model: 'm', usage, data: [large], end: large }],
  ])('give a tap the members %s', (_, object) => {
    const tap = read(object);
    expect([tap.id, tap.model, tap.usage]).toEqual(['i', 'm', { prompt: 3, completion: 4 }]);
  });

  it('give a tap no number that is cut off', () => {
    const text = '{"n":12345,"m":1}';
    for (let end = 0; end <= text.length; end += 1) {
      const found = completeMembers(text.slice(0, end)).map(({ start, end: to }) => text.slice(start, to));
      expect(['', '12345', '12345,1']).toContain(found.join(','));
    }
  });

  it.each([
    ['an error of a response that was sent', { data: [large], usage, error: { message: 'x' } }],
    ['members of the data', { data: [large, { model: 'm', usage }] }],
  ])('do not read %s', (_, object) => {
    const tap = read(object);
    expect([tap.fault, tap.usage, tap.complete]).toEqual([undefined, undefined, false]);
  });
});
