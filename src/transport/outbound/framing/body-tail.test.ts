import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonTap } from '../../../formats/shared/response/json-tap.ts';
import { BodyTail, copiedTail, lastMembers } from './body-tail.ts';

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

describe('BodyTail', () => {
  const bytes = Buffer.from(JSON.stringify({ data: ['ü'.repeat(50_000)], model: 'm', usage, metadata: { a: 'x'.repeat(9000) } }));

  it.each([1, 3, 1000, 16_383, 16_384, 16_385, 70_000, 1_000_000])('gives a tap the usage of a body in chunks of %i bytes', (size) => {
    const tail = new BodyTail();
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
    tail.push(copiedTail(chunks.slice(0, 5)));
    for (const chunk of chunks.slice(5)) tail.push(chunk);
    const tap = new JsonTap();
    tail.readInto(tap);
    expect([tap.usage, tap.model]).toEqual([{ prompt: 3, completion: 4 }, 'm']);
  });

  it('reads no error of a response that was sent', () => {
    const tail = new BodyTail();
    tail.push(Buffer.from(JSON.stringify({ data: [], usage, error: { message: 'x' } })));
    const tap = new JsonTap();
    tail.readInto(tap);
    expect(tap.fault).toBeUndefined();
  });
});
