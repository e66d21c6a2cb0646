import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonBody } from './body.ts';
import { GatewayError } from './error.ts';
import { answerLimits } from './json-limits.ts';
import { flawOf } from './json-scan.ts';

const body = (text: string): JsonBody => JsonBody.from(Buffer.from(text, 'utf8'));
const text = (of: JsonBody): string => of.bytes().toString('utf8');

const edits: readonly { name: string; from: string; patch: [string, unknown][]; to: string }[] = [
  { name: 'writes a value in place', from: '{ "model" : "@a/m", "n":1.0 }', patch: [['model', 'm']], to: '{ "model" : "m", "n":1.0 }' },
  {
    name: 'keeps 64-bit integers and key order',
    from: '{"seed":9007199254740993,"model":"x","z":1e2}',
    patch: [['model', 'y']],
    to: '{"seed":9007199254740993,"model":"y","z":1e2}',
  },
  { name: 'adds at the end', from: '{"a":1}', patch: [['b', { c: [1] }]], to: '{"a":1,"b":{"c":[1]}}' },
  {
    name: 'adds to an empty object',
    from: ' {} ',
    patch: [
      ['b', 'ü'],
      ['c', null],
    ],
    to: ' {"b":"ü","c":null} ',
  },
  {
    name: 'takes out the first, a middle and the last',
    from: '{"a":1, "b":2, "c":3, "d":4}',
    patch: [
      ['a', undefined],
      ['c', undefined],
    ],
    to: '{"b":2,"d":4}',
  },
  {
    name: 'leaves equal names deeper down alone',
    from: '{"x":{"model":"in"},"model":"out"}',
    patch: [['model', 'new']],
    to: '{"x":{"model":"in"},"model":"new"}',
  },
  { name: 'finds an escaped key', from: '{"mod\\u0065l":"a"}', patch: [['model', 'b']], to: '{"mod\\u0065l":"b"}' },
  { name: 'normalises a member named twice to the last', from: '{"model":"a","model":"b"}', patch: [['model', 'c']], to: '{"model":"c"}' },
  {
    name: 'keeps text beyond ASCII',
    from: '{"m":"Grüße 🎉","model":"a"}',
    patch: [['model', '模型']],
    to: '{"m":"Grüße 🎉","model":"模型"}',
  },
];

const refusals: readonly [name: string, text: string, message: RegExp][] = [
  ['nothing', '', /the body is empty at position 0/],
  ['an array', '[1]', /expected an object at position 0/],
  ['a cut object', '{"model":', /unexpected end at position 9/],
  ['a cut string', '{"model":"gp', /unexpected end inside a string/],
  ['text behind the object', '{"a":1} x', /unexpected text after the object at position 8/],
  ['a bare word', '{"a":yes}', /unexpected token at position 5/],
  ['a wrong bracket', '{"a":[1}}', /unexpected "}" at position 7/],
  ['a missing comma', '{"a":1 "b":2}', /expected "," or "}" at position 7/],
  ['a trailing comma', '{"a":1,}', /expected a quoted key at position 7/],
];

describe('JsonBody', () => {
  for (const { name, from, patch, to } of edits) {
    it(name, () => {
      const before = body(from);
      expect(text(before.edit(new Map(patch)))).toBe(to);
      expect(before.edit(new Map(patch)).edited?.root).toBe(before);
    });
  }

  for (const [name, bad, message] of refusals) {
    it(`refuses ${name}`, () => {
      expect(() => body(bad)).toThrow(message);
      expect(() => body(bad)).toThrow(GatewayError);
    });
  }

  it('reads scalars without parsing the rest', () => {
    const b = body('{"model":"a\\"b","stream":true,"n":2,"u":null,"o":{"model":1}}');
    expect([b.peek('model'), b.peek('stream'), b.peek('n'), b.peek('u'), b.peek('o'), b.peek('absent')]).toEqual([
      'a"b',
      true,
      2,
      null,
      undefined,
      undefined,
    ]);
    expect(b.has('o')).toBe(true);
    expect([...b.keys()]).toEqual(['model', 'stream', 'n', 'u', 'o']);
  });

  it('passes the bytes on unchanged, a byte order mark aside', () => {
    expect(text(body('\uFEFF{"a":1}'))).toBe('{"a":1}');
    const bytes = Buffer.from('{ "a" :1 }');
    expect(JsonBody.from(bytes).bytes()).toBe(bytes);
  });

  it('composes edits and remembers the first body', () => {
    const first = body('{"a":1,"b":2}');
    const second = first.edit(new Map([['a', 5]])).edit(
      new Map<string, unknown>([
        ['c', 6],
        ['b', undefined],
      ]),
    );
    expect(JSON.parse(text(second))).toEqual({ a: 5, c: 6 });
    expect(second.edited?.root).toBe(first);
    expect(Object.fromEntries(second.edited?.patch ?? [])).toEqual({ a: 5, c: 6, b: undefined });
  });

  it('agrees with JSON.parse on any object, before and after an edit', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), fc.nat(3), (object, key, value, indent) => {
        const b = body(JSON.stringify(object, undefined, indent));
        expect(b.json()).toEqual(JSON.parse(JSON.stringify(object)));
        const edited = JSON.parse(text(b.edit(new Map([[key, value]])))) as object;
        expect(edited).toEqual(JSON.parse(JSON.stringify({ ...object, [key]: value })));
      }),
    );
  });

  it('accepts every JSON text as one value and no cut of a nested one', () => {
    fc.assert(fc.property(fc.json(), (json) => flawOf(json, answerLimits) === undefined));
    const whole = '{"a":[1,{"b":"}"}]}';
    for (let cut = 0; cut < whole.length; cut += 1) expect(flawOf(whole.slice(0, cut), answerLimits) === undefined).toBe(false);
  });
});
