import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMask } from './mask.ts';

const pem = '-----BEGIN KEY-----\nabc"def\n-----END KEY-----';
const mask = createMask([
  'hunter22',
  'hunter22-and-more',
  'short',
  'tröpfchen',
  'a/b+c d=',
  JSON.stringify({ type: 'x', private_key: pem }),
]);

const sk = `sk-${'proj1'.repeat(5)}`;
const gw = `gw_${'a1B2'.repeat(6)}`;

describe('createMask', () => {
  it.each([
    ['hides a secret', 'key hunter22!', 'key ***!', 'key ********!'],
    ['hides a secret that contains another one', 'hunter22-and-more', '***', '*'.repeat(17)],
    ['hides each occurrence', 'hunter22hunter22', '******', '*'.repeat(16)],
    ['leaves a secret of five characters', 'a short text', 'a short text', 'a short text'],
    ['hides a secret with non-ASCII characters', 'x tröpfchen x', 'x *** x', 'x ********** x'],
    [
      'hides a secret as JSON writes it',
      JSON.stringify({ k: pem }),
      '{"k":"***"}',
      `{"k":"${'*'.repeat(JSON.stringify(pem).length - 2)}"}`,
    ],
    ['hides a secret as a URL writes it', '?k=a%2Fb%2Bc%20d%3D&x', '?k=***&x', `?k=${'*'.repeat(16)}&x`],
    ['hides a secret as Python writes it in JSON', '"tr\\u00f6pfchen"', '"***"', `"${'*'.repeat(14)}"`],
    ['hides a secret as PHP writes it in JSON', '"a\\/b+c d="', '"***"', `"${'*'.repeat(9)}"`],
    ['hides a secret as .NET writes it in JSON', '"a/b\\u002Bc d="', '"***"', `"${'*'.repeat(13)}"`],
    ['hides a secret as Python writes it in a URL', '?k=a/b%2Bc%20d%3D&x', '?k=***&x', `?k=${'*'.repeat(14)}&x`],
    ['hides an issued key after a percent-encoded character', `a%20${sk}%26`, 'a%20sk-***%26', `a%20sk-${'*'.repeat(25)}%26`],
    ['hides an issued key after a JSON escape', `"x\\n${sk}"`, '"x\\nsk-***"', `"x\\nsk-${'*'.repeat(25)}"`],
    ['hides an issued key after a Unicode escape', `"x\\u003d${sk}"`, '"x\\u003dsk-***"', `"x\\u003dsk-${'*'.repeat(25)}"`],
    ['hides an issued key as the default of a reference', `\${env:K:-${sk}}`, '${env:K:-sk-***}', `\${env:K:-sk-${'*'.repeat(25)}}`],
    ['hides a text that looks like an issued key', `Bearer ${sk}.`, 'Bearer sk-***.', `Bearer sk-${'*'.repeat(25)}.`],
    ['hides a gateway key', `"${gw}"`, '"gw_***"', `"gw_${'*'.repeat(24)}"`],
    [
      'leaves a word that only ends like a prefix',
      'task-with-a-very-long-descriptive-name',
      'task-with-a-very-long-descriptive-name',
      'task-with-a-very-long-descriptive-name',
    ],
    ['leaves a prefix with few characters after it', 'sk-learn and AKIA', 'sk-learn and AKIA', 'sk-learn and AKIA'],
    ['leaves a harmless text', 'nothing here', 'nothing here', 'nothing here'],
  ])('%s', (_name, input, text, bytes) => {
    expect(mask.text(input)).toBe(text);
    expect(mask.bytes(Buffer.from(input)).toString()).toBe(bytes);
    const copy = Buffer.from(input);
    expect(mask.inPlace(copy)).toBe(input !== text);
    expect(copy.toString()).toBe(bytes);
  });

  it.each(['gsk_', 'xai-', 'hf_', 'r8_', 'nvapi-', 'pplx-', 'ghp_', 'github_pat_', 'glpat-'])(
    'hides a key that begins with %s',
    (prefix) => {
      const key = 'aB3x'.repeat(9);
      expect(mask.text(`Bearer ${prefix}${key}.`)).toBe(`Bearer ${prefix}***.`);
      expect(String(mask.bytes(Buffer.from(`"${prefix}${key}"`)))).toBe(`"${prefix}${'*'.repeat(36)}"`);
      expect(mask.text(`a${prefix}${key} ${prefix}short`)).toBe(`a${prefix}${key} ${prefix}short`);
    },
  );

  it.each(['', 'u', 'us', 'user:', 'user@example:'])('hides a secret in base64 behind %j', (before) => {
    for (const after of ['', '!', '!!']) {
      const bytes = Buffer.from(`${before}hunter?>22-and-ünre${after}`);
      const masked = createMask(['hunter?>22-and-ünre']);
      for (const encoding of ['base64', 'base64url'] as const) {
        const encoded = bytes.toString(encoding);
        // Of the first and the last byte, some bits share a character with what is next to the secret.
        expect(masked.text(`Basic ${encoded}`)).toMatch(/^Basic [\w+/-]{0,20}\*{3}[\w+/-]{0,5}={0,2}$/);
        const left = masked.bytes(Buffer.from(encoded)).toString().replaceAll('*', 'A');
        expect(Buffer.from(left, encoding).toString('latin1')).not.toMatch(/unter|and/);
      }
    }
  });

  it('returns the same buffer if nothing matched, and never writes to its input', () => {
    const cleanBytes = Buffer.from('nothing here');
    expect(mask.bytes(cleanBytes)).toBe(cleanBytes);
    const secretBytes = Buffer.from('hunter22');
    expect(mask.bytes(secretBytes)).not.toBe(secretBytes);
    expect(secretBytes.toString()).toBe('hunter22');
  });
});

it('createMask hides an issued key at any offset', () => {
  for (let position = 0; position < 60; position += 1) {
    for (const fill of [' ', 'word ', 'x']) {
      const prefixText = fill.repeat(60).slice(0, position);
      const joined = prefixText === '' || /[ ]$/.test(prefixText) ? prefixText : `${prefixText}"`;
      expect(mask.bytes(Buffer.from(`${joined}${gw}"`)).toString(), joined).toBe(`${joined}gw_${'*'.repeat(24)}"`);
    }
  }
});

it('createMask hides a secret in JSON that is nested in a JSON string', () => {
  const escapedTwice = JSON.stringify(JSON.stringify({ k: pem }));
  expect(mask.text(escapedTwice)).toBe(JSON.stringify(JSON.stringify({ k: '***' })));
  expect(mask.bytes(Buffer.from(escapedTwice)).toString()).toMatch(/^"\{\\"k\\":\\"\*+\\"\}"$/);
});

it('createMask hides both of two overlapping secrets', () => {
  const overlapping = createMask(['secret-of-one', 'one-and-another-one']);
  expect(overlapping.bytes(Buffer.from('a secret-of-one-and-another-one b')).toString()).toBe(`a ${'*'.repeat(29)} b`);
  expect(overlapping.text('ä secret-of-one-and-another-one b')).toBe('ä *** b');
});

it.each([
  ['sk-', 20],
  ['gw_', 16],
  ['AIza', 30],
  ['AKIA', 16],
  ['xoxb-', 16],
  ['xoxp-', 16],
])('createMask treats a text with the prefix %s as a key from %d characters on', (prefix, minLength) => {
  for (const prefixText of ['', '"', 'one two three four '])
    for (const lengthDelta of [0, -1]) {
      const key = 'k'.repeat(minLength + lengthDelta);
      const [text, bytes] = lengthDelta === 0 ? ['***', '*'.repeat(minLength)] : [key, key];
      expect(mask.text(`${prefixText}${prefix}${key}`)).toBe(`${prefixText}${prefix}${text}`);
      expect(mask.bytes(Buffer.from(`${prefixText}${prefix}${key}`)).toString()).toBe(`${prefixText}${prefix}${bytes}`);
    }
});

it('createMask hides the same keys in bytes and in text', () => {
  const piece = fc.oneof(
    fc.constantFrom('sk-', 'gw_', 'AIza', 'AKIA', 'xoxb-', ' ', '"', '.', 'é', '\\n', '\\u003D', '\\', '%3D', ':-'),
    fc.integer({ min: 0, max: 45 }).map((length) => 'k'.repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join('');
      const hidden = mask.bytes(Buffer.from(text)).toString().replaceAll(/\*+/g, '***');
      expect([text, hidden]).toEqual([text, mask.text(text)]);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  [
    'the secrets of a JSON secret',
    '{"token":"inner-token","name":"plain-name","password":12345678}',
    'inner-token plain-name 12345678',
    '*** plain-name 12345678',
  ],
  ['a secret that is almost JSON', '{"token":"inner-token"', 'x {"token":"inner-token" inner-token', 'x *** inner-token'],
])('createMask hides %s', (_name, secret, text, hidden) => {
  expect(createMask([secret]).text(text)).toBe(hidden);
});
