import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonBody } from './body.ts';
import { GatewayError } from '../error.ts';
import { responseLimits } from './limits.ts';
import { flawOf } from './scan.ts';

const body = (text: string): JsonBody => JsonBody.from(Buffer.from(text, 'utf8'));
const text = (body: JsonBody): string => body.bytes().toString('utf8');

const edits: readonly { name: string; from: string; patch: [string, unknown][]; to: string }[] = [
  { name: 'writes a value in place', from: '{ "model" : "@a/m", "n":1.0 }', patch: [['model', 'm']], to: '{ "model" : "m", "n":1.0 }' },
  {
    name: 'keeps 64-bit integers and key order',
    from: '{"seed":9007199254740993,"model":"x","z":1e2}',
    patch: [['model', 'y']],
    to: '{"seed":9007199254740993,"model":"y","z":1e2}',
  },
  { name: 'adds a member at the end', from: '{"a":1}', patch: [['b', { c: [1] }]], to: '{"a":1,"b":{"c":[1]}}' },
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
    name: 'removes the first, a middle and the last member',
    from: '{"a":1, "b":2, "c":3, "d":4}',
    patch: [
      ['a', undefined],
      ['c', undefined],
    ],
    to: '{"b":2,"d":4}',
  },
  {
    name: 'does not change the same name in a nested object',
    from: '{"x":{"model":"in"},"model":"out"}',
    patch: [['model', 'new']],
    to: '{"x":{"model":"in"},"model":"new"}',
  },
  { name: 'finds an escaped key', from: '{"mod\\u0065l":"a"}', patch: [['model', 'b']], to: '{"mod\\u0065l":"b"}' },
  { name: 'reduces a duplicate member to the last one', from: '{"model":"a","model":"b"}', patch: [['model', 'c']], to: '{"model":"c"}' },
  {
    name: 'keeps the digits of numbers next to a duplicate member',
    from: '{"a":1, "seed": 9007199254740993,"b":1.0,"a" : 2}',
    patch: [['b', 3]],
    to: '{"a" : 2,"seed": 9007199254740993,"b":3}',
  },
  {
    name: 'keeps non-ASCII text',
    from: '{"m":"Grüße 🎉","model":"a"}',
    patch: [['model', '模型']],
    to: '{"m":"Grüße 🎉","model":"模型"}',
  },
];

const rejectedTexts: readonly [name: string, text: string, message: RegExp][] = [
  ['an empty body', '', /the body is empty at position 0/],
  ['an array', '[1]', /expected an object at position 0/],
  ['a truncated object', '{"model":', /unexpected end at position 9/],
  ['a truncated string', '{"model":"gp', /unexpected end inside a string/],
  ['text after the object', '{"a":1} x', /unexpected text after the object at position 8/],
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

  for (const [name, invalidText, message] of rejectedTexts) {
    it(`rejects ${name}`, () => {
      expect(() => body(invalidText)).toThrow(message);
      expect(() => body(invalidText)).toThrow(GatewayError);
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

  it('bytes() returns the original bytes without a byte order mark', () => {
    expect(text(body('\uFEFF{"a":1}'))).toBe('{"a":1}');
    const bytes = Buffer.from('{ "a" :1 }');
    expect(JsonBody.from(bytes).bytes()).toBe(bytes);
  });

  it('applies several edits and keeps the first body as root', () => {
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

  it.each<[string, string, [string, unknown][], string]>([
    [
      'a new value next to a removed one',
      '{"a":1, "b": 2}',
      [
        ['b', 'ü'],
        ['a', undefined],
      ],
      '{"b": "ü"}',
    ],
    [
      'a new one',
      '{"a":1}',
      [
        ['a', undefined],
        ['n', [1]],
      ],
      '{"n":[1]}',
    ],
    [
      'nothing for a missing member',
      '{"a":1}',
      [
        ['a', undefined],
        ['n', undefined],
      ],
      '{}',
    ],
  ])('removes a member and writes %s', (_name, from, patch, to) => {
    expect(text(body(from).edit(new Map(patch)))).toBe(to);
  });

  it('edit returns the same body for an empty patch', () => {
    const b = body('{"a":1}');
    expect(b.edit(new Map())).toBe(b);
    expect(b.edited).toBeUndefined();
  });

  it.each([
    ['one byte of the mark', [0xef]],
    ['two bytes of the mark', [0xef, 0xbb]],
    ['another character of three bytes', [0xef, 0xbc, 0xbf]],
    ['its second half', [0xef, 0xbb, 0xbe]],
  ])('rejects %s before an object', (_name, prefix) => {
    expect(() => JsonBody.from(Buffer.from([...prefix, ...Buffer.from('{"a":1}')]))).toThrow(/^The body is not JSON: /);
  });

  it.each([1023, 1024, 1025, 5000])(
    'reads, stores and writes a string of %d characters with and without non-ASCII characters',
    (length) => {
      for (const value of ['x'.repeat(length), `${'x'.repeat(length - 1)}é`, 'é'.repeat(length)]) {
        const b = body(JSON.stringify({ long: value, list: [value] }));
        expect([b.peek('long'), b.peek('long'), b.peek('list')]).toEqual([value, value, undefined]);
        expect([b.value('list'), b.value('absent')]).toEqual([[value], undefined]);
        const edited = b.edit(new Map([['more', value]]));
        expect([edited.value('more'), JSON.parse(text(edited))]).toEqual([value, { long: value, list: [value], more: value }]);
      }
    },
  );

  it.each([1, 64, 65, 200])('finds each of %d members', (count) => {
    const keys = Array.from({ length: count }, (_, i) => `k${i}`);
    const b = body(JSON.stringify(Object.fromEntries(keys.map((key, i) => [key, i]))));
    expect(keys.map((key) => b.peek(key))).toEqual(keys.map((_, i) => i));
    expect([b.has('k'), b.has(`k${count}`)]).toEqual([false, false]);
  });

  it('serializes a large edited body correctly each time it is read', () => {
    const longText = 'ä'.repeat(1024 * 1024);
    const first = body(`{"model":"@a/m","text":"${longText}" , "n":1.0}`).edit(new Map<string, unknown>([['model', 'mü']]));
    const editedTwice = first.edit(new Map<string, unknown>(Object.entries({ n: 2, more: '€' })));
    for (const [edited, expected] of [
      [first, `{"model":"mü","text":"${longText}" , "n":1.0}`],
      [editedTwice, `{"model":"mü","text":"${longText}" , "n":2,"more":"€"}`],
    ] as const) {
      expect([text(edited) === expected, text(edited) === expected, edited.size]).toEqual([true, true, Buffer.byteLength(expected)]);
      expect(edited.peek('model')).toBe('mü');
    }
  });

  it('stores a body below 64 KiB as bytes and a larger one as text', () => {
    const bodies = [0, 1].map((more) => body(`{"a":"${'x'.repeat(64 * 1024 - 9 + more)}"}`));
    expect(bodies.map(({ size }) => size)).toEqual([64 * 1024 - 1, 64 * 1024]);
    expect(bodies.map((b) => b.bytes() === b.bytes())).toEqual([true, false]);
    expect(bodies.map((b) => b.start(5).toString())).toEqual(['{"a":', '{"a":']);
    expect(bodies.map((b) => b.bytes().length)).toEqual(bodies.map(({ size }) => size));
  });

  it('reads the structure of a list, also after edits and after other bodies', () => {
    const keysIn = (of: JsonBody, key = 'messages') => {
      const keys: string[] = [];
      const reader = of.listOf(key);
      while (reader?.nextObject() === true) while (reader.nextMember()) keys.push(`${reader.key}=${reader.string}`);
      return keys;
    };
    const one = body('{"model":"m","messages":[{"role":"user"},{"x":1}],"tools":[{"a":"b"}]}');
    const edited = one.edit(new Map([['model', 'longer']]));
    const other = body('{"messages":[{"role":"tool"}]}');
    const expected = ['role=user', 'x='];
    expect([keysIn(one), keysIn(edited), keysIn(one), keysIn(one, 'tools'), keysIn(edited), keysIn(other)]).toEqual([
      expected,
      expected,
      expected,
      ['a=b'],
      expected,
      ['role=tool'],
    ]);
    expect(keysIn(edited.edit(new Map([['messages', [{ role: 'é' }]]])))).toEqual(['role=Ã©']);
    expect(keysIn(JsonBody.of({ messages: [{ y: 'z' }] }))).toEqual(['y=z']);
    for (const none of ['{"messages":{"role":"user"}}', '{"messages":"x"}', '{}']) expect(body(none).listOf('messages')).toBe(undefined);
    expect(keysIn(body(String.raw`{"mess\u0061ges":[{"a":"b"}]}`))).toEqual(['a=b']);
    expect(keysIn(body('{"messages":[{"a":"b"}],"messages":[{"c":"d"}]}'))).toEqual(['c=d']);
  });

  it('returns its text, its beginning and its members', () => {
    const b = body('{"a":"x","b":1}');
    expect([b.mentions('"b"'), b.mentions('c')]).toEqual([true, false]);
    expect([b.start(4).toString(), b.start(99).toString()]).toEqual(['{"a"', '{"a":"x","b":1}']);
    expect(b.edit(new Map([['a', 'é']])).start(7)).toEqual(Buffer.from('{"a":"é').subarray(0, 7));
    expect([...b.members()].map(({ key, first, index: member }) => [key, first, b.textOf(member)])).toEqual([
      ['a', '"', '"x"'],
      ['b', '1', '1'],
    ]);
  });

  it.each([
    ['a URL', '"https://a.example"', true],
    ['a URL with escaped slashes', String.raw`"https:\/\/a.example"`, true],
    ['a URL with one escaped slash', String.raw`"https:/\/a.example"`, true],
    ['a URL with code points', String.raw`"https:\u002f\u002Fa.example"`, true],
    ['a URL with the code point of its colon', String.raw`"https\u003A//a.example"`, true],
    ['other escaped text', String.raw`"caf\u00e9: a/b\n"`, false],
    ['base64', '"data:image/png;base64,aaaa//aa"', false],
  ])('mayContainUrl: %s', (_name, json, expected) => {
    expect(body(`{"u":${json}}`).mayContainUrl()).toBe(expected);
  });

  it.each([
    ['blanks', ' '.repeat(500_000)],
    ['colons', ': '.repeat(250_000)],
  ])('reads a key of many %s in linear time', (_name, longText) => {
    const keys = [`a${longText}b`, longText, 'é " : '];
    const json = `{${keys.map((key) => `${JSON.stringify(key)} :\n1`).join(',')}}`;
    expect([...body(json).members()].map(({ key }) => key)).toEqual(keys);
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

  it('flawOf accepts every JSON text and rejects each truncated one', () => {
    fc.assert(fc.property(fc.json(), (json) => flawOf(json, responseLimits) === undefined));
    const json = '{"a":[1,{"b":"}"}]}';
    for (let length = 0; length < json.length; length += 1) expect(flawOf(json.slice(0, length), responseLimits) === undefined).toBe(false);
  });
});
