import type { Random } from './random.ts';

/** Generates JSON as text, because a value cannot have duplicate names, lone surrogates, or numbers out of range. */

const nested = (depth: number, open: string, close: string): string => `${open.repeat(depth)}1${close.repeat(depth)}`;

const literals: readonly string[] = [
  String.raw`""`,
  String.raw`" "`,
  String.raw`"\ud800"`,
  String.raw`"a\udfffb"`,
  String.raw`"\u0000"`,
  String.raw`"a\r\nb: c"`,
  String.raw`"__proto__"`,
  String.raw`"constructor"`,
  String.raw`"toString"`,
  String.raw`"../../x"`,
  String.raw`"%00%zz%ff"`,
  String.raw`"@p-mock/echo"`,
  String.raw`"\u202e\ufeff\u2028"`,
  '"naïve 🧊 文字"',
  '"data:image/png;base64,AAAA"',
  '"data:;base64,%%%"',
  '"data:"',
  '"https://127.0.0.1:1/x.png"',
  '"null"',
  '"1e999"',
];
const scalars: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e999',
  '-1e999',
  '123456789012345678901234567890',
  '0.1e-400',
];

/** Names of built-in object properties, and names that are not allowed in a header. */
const hostileNames: readonly string[] = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  '',
  ' ',
  String.raw`\ud800`,
  String.raw`\u0000`,
  String.raw`a\r\nb`,
  '🧊',
  'length',
  '0',
  'then',
  'toJSON',
];

export function hostileName(random: Random): string {
  return random.pick(hostileNames);
}

/** Generates a JSON value that a caller or a provider should not send. */
export function hostileValue(random: Random, depth = 2): string {
  const dice = random.next();
  if (dice < 0.4) return random.pick(literals);
  if (dice < 0.7) return random.pick(scalars);
  if (dice < 0.78) return '[]';
  if (dice < 0.86) return '{}';
  if (dice < 0.87) return `"${'x'.repeat(1_000_000)}"`;
  if (dice < 0.88) return nested(random.pick([20, 127, 129, 1000, 10_000]), '{"a":', '}');
  if (dice < 0.89) return nested(random.pick([20, 127, 129, 1000, 10_000]), '[', ']');
  if (dice < 0.9) return `[${'0,'.repeat(random.pick([100, 5000]))}0]`;
  if (depth === 0) return 'null';
  if (dice < 0.95) return `[${hostileValue(random, depth - 1)},${hostileValue(random, depth - 1)}]`;
  return `{"${hostileName(random)}":${hostileValue(random, depth - 1)},"type":${hostileValue(random, depth - 1)}}`;
}

/** Serializes the value with some members replaced, removed, added or duplicated. */
export function mutated(value: unknown, random: Random, rate: number): string {
  if (random.chance(rate)) return hostileValue(random);
  if (Array.isArray(value)) {
    const items = value.filter(() => !random.chance(rate / 2)).map((item) => mutated(item, random, rate));
    if (random.chance(rate)) items.push(hostileValue(random));
    return `[${items.join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members: string[] = [];
    for (const [name, member] of Object.entries(value)) {
      if (random.chance(rate / 2)) continue;
      members.push(`${JSON.stringify(name)}:${mutated(member, random, rate)}`);
      if (random.chance(rate / 4)) members.push(`${JSON.stringify(name)}:${hostileValue(random)}`);
    }
    if (random.chance(rate)) members.push(`"${hostileName(random)}":${hostileValue(random)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** Text that is almost JSON, or bytes that are not valid text. */
export function brokenJson(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text);
  return random.one(
    () => bytes.subarray(0, random.below(bytes.length + 1)),
    () => Buffer.concat([bytes, Buffer.from(random.pick(['}', ',', '{}', '\0', ' x']))]),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
    () => Buffer.concat([bytes.subarray(0, bytes.length >> 1), Buffer.from([0xff, 0xc0, 0x80]), bytes.subarray(bytes.length >> 1)]),
    () => random.bytes(random.below(300)),
    () => Buffer.alloc(0),
    () => Buffer.from(text, 'utf16le'),
  );
}
