import { describe, expect, it } from 'vitest';
import { JsonBody } from './body.ts';
import type { GatewayError } from '../error.ts';
import { flawOf, parseJson, scanObject } from './scan.ts';

const limits = { depth: 4, members: 10 };

function outcome(action: () => unknown): string {
  try {
    action();
    return 'ok';
  } catch (error) {
    return (error as Error).message;
  }
}

const tooDeep = /^The JSON is nested more than 4 levels deep at position \d+\.$/;
const tooMany = /^The JSON has more than 10 members at position \d+\.$/;
const ok = /^ok$/;

describe('JSON limits', () => {
  it.each([
    ['{"a":[[[1]]]}', ok],
    ['{"a":[[[[1]]]]}', tooDeep],
    ['{"a":{"b":{"c":{"d":1}}}}', ok],
    ['{"a":{"b":{"c":{"d":{}}}}}', tooDeep],
    [`{"a":${'['.repeat(100_000)}`, tooDeep],
    [`{${Array.from({ length: 9 }, (_, i) => `"k${i}":1`).join()}}`, ok],
    [`{${Array.from({ length: 11 }, (_, i) => `"k${i}":1`).join()}}`, tooMany],
    ['{"a":[{},{},{},{},{},{},{},{},{},{}]}', tooMany],
    [`{"a":{${Array.from({ length: 9 }, () => '"b":1').join()}}}`, tooMany],
    // Items of a plain list cost little memory: sixteen count as one member.
    [`{"a":[1${',1'.repeat(120)}]}`, ok],
    [`{"a":[1${',1'.repeat(200)}]}`, tooMany],
    [`{"a":[""${',""'.repeat(200)}]}`, tooMany],
    ['{"a":"[[[[[[,,,,:::{{{{"}', ok],
    [String.raw`{"a":"\"[[[[[[","b":"\\"}`, ok],
    ['{"a":{"b":[[[[', tooDeep],
  ])('apply to the depth and to the number of members: row %#', (text, expected) => {
    expect(outcome(() => scanObject(text, limits))).toMatch(expected);
    expect(outcome(() => JsonBody.from(Buffer.from(text), limits))).toMatch(expected);
  });

  it('report the position at which a limit is exceeded', () => {
    expect([outcome(() => scanObject('{"a":[[[[1]]]]}', limits)), outcome(() => parseJson(`[${'{},'.repeat(2000)}]`, limits))]).toEqual([
      'The JSON is nested more than 4 levels deep at position 8.',
      'The JSON has more than 10 members at position 25.',
    ]);
  });

  it('name the setting of the limit in the hint', () => {
    expect([flawOf('[[[[[', limits)?.hint, flawOf(`[${'{},'.repeat(20)}`, limits)?.hint]).toEqual([
      'Send less in one request. The limit is server.json.max_depth.',
      'Send less in one request. The limit is server.json.max_members.',
    ]);
  });

  // The number of bytes read depends on the limit only, not on the size of the body.
  it.each([
    ['levels', '[', 128],
    ['objects in a list', '{},', 5 * 100_000],
    ['members', '"k":1,', 7 * 100_000],
    ['members that are objects', '"k":{},', 7 * 100_000],
    ['colons', ':', 100_000],
    ['commas', ',', 16 * 100_000],
  ])('stop reading an oversized body early: %s', (_, unit, maxRead) => {
    const text = `{"model":"m","x":${unit === '[' ? '' : unit.startsWith('"k') ? '{' : '['}${unit.repeat(2_000_000)}`;
    const [, at] = /at position (\d+)/.exec(outcome(() => scanObject(text))) ?? [];
    expect(Number(at)).toBeLessThan(maxRead + 100);
  });

  it.each([
    ['an escaped quote', '\\"'],
    ['a backslash', '\\\\'],
    ['quotes far apart', `\\"${'x'.repeat(70)}`],
    ['a long run of backslashes', `${'\\\\'.repeat(100)}\\"`],
  ])('ignore the content of a string with %s', (_, unit) => {
    const text = `{"a":"${unit.repeat(5000)}","b":[[[1]]]}`;
    expect(scanObject(text, limits).map(({ key }) => key)).toEqual(['a', 'b']);
    expect(JsonBody.from(Buffer.from(text), limits).json()).toEqual(JSON.parse(text));
  });

  it('apply to parseJson, except to the depth of short texts', () => {
    expect(parseJson('[1]')).toEqual([1]);
    expect(outcome(() => parseJson('['.repeat(2000)))).toMatch(/nested more than 128 levels/);
    expect(outcome(() => parseJson(`${'['.repeat(400)}${']'.repeat(400)}`))).toBe('ok');
    expect(outcome(() => parseJson(`[{}${',{}'.repeat(500_000)}]`))).toMatch(/has more than 500000 members/);
  });
});

it.each([
  ['{"a":1.5e+3}', 'ok'],
  ['{"a":-0.5 ,"b":null}', 'ok'],
  ['{"a":01}', 'The body is not JSON: unexpected token at position 5.'],
  ['{"a":1.}', 'The body is not JSON: unexpected token at position 5.'],
  ['{"a":nul}', 'The body is not JSON: unexpected token at position 5.'],
  ['{"a":true"b":1}', 'The body is not JSON: unexpected token at position 5.'],
  [`{"a":${'1'.repeat(1_000_000)}}`, 'The body is not JSON: a number of more than 1024 characters at position 5.'],
])('scanObject checks the scalar in %.40s: %s', (text, expected) => {
  expect(outcome(() => scanObject(text))).toBe(expected);
});

it.each([
  [[0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d], 'The body is not JSON: the byte 0xff is not UTF-8 at position 2.'],
  [Buffer.from('{"a":"ü"}', 'latin1'), 'The body is not JSON: the byte 0xfc is not UTF-8 at position 6.'],
  [Buffer.from('{"a":1}', 'utf16le'), 'The body is not JSON: expected a quoted key at position 1.'],
  [Buffer.from('\u{feff}{"a":"ü\u{1f600}"}'), 'ok'],
  [Buffer.from(String.raw`{"a":"\ud800"}`), 'ok'],
])('JsonBody.from checks the bytes %#: %s', (bytes, expected) => {
  expect(outcome(() => JsonBody.from(Buffer.from(bytes)))).toBe(expected);
});

it('JsonBody finds a member among many and returns a long string', () => {
  const longText = 'x'.repeat(5000);
  const body = JsonBody.from(
    Buffer.from(JSON.stringify({ ...Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, i])), long: longText })),
  );
  expect([body.peek('k0'), body.peek('k199'), body.has('k200'), body.peek('long')]).toEqual([0, 199, false, longText]);
  expect((flawOf('[1] 2', limits) as GatewayError).message).toMatch(/unexpected text after the value at position 4/);
});
