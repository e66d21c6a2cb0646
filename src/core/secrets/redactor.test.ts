import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SecretVariants, SecretRedactor, secretVariants } from './redactor.ts';

const key = 'sk-live-4f9a8b7c6d5e4f3a2b1c';
const oddSecret = 'a/b+c "d"=\\e\\ü-1234567';

/** Number of chunks after which the search uses tables. */
const manyChunks = 100;

function redactor(...headers: string[]): { redactor: SecretRedactor; hits: () => number } {
  return redactorOf(secretVariants(headers));
}

function redactorOf(forms: SecretVariants | undefined, uses = 0): { redactor: SecretRedactor; hits: () => number } {
  if (forms === undefined) throw new Error('nothing to look for');
  forms.uses = uses;
  let hits = 0;
  return { redactor: new SecretRedactor(forms, { onEcho: () => void (hits += 1) }), hits: () => hits };
}

/** Pushes the text in these pieces and returns the output after each one. */
function pieces(secretRedactor: SecretRedactor, text: string, splitPositions: readonly number[]): string[] {
  const bytes = Buffer.from(text);
  const offsets = [...new Set(splitPositions.map((splitPosition) => Math.min(splitPosition, bytes.length)))].toSorted((a, b) => a - b);
  const output: string[] = [];
  for (const [i, offset] of [...offsets, bytes.length].entries()) {
    output.push(secretRedactor.push(Buffer.from(bytes.subarray(offsets[i - 1] ?? 0, offset))).toString('latin1'));
  }
  return [...output, secretRedactor.end().toString('latin1')];
}

describe('secretVariants', () => {
  it.each([
    ['a key', ['x-api-key', key], [key]],
    ['a bearer token, without the scheme', ['authorization', `Bearer ${key}`], [key]],
    ['any scheme', ['authorization', `Basic ${key}`], [key]],
    ['each of several headers once', ['api-key', key, 'authorization', `Bearer ${key}`], [key]],
    [
      'a key with characters that JSON and URLs escape',
      ['x-key', 'a/b"c+d=ef'],
      ['a%2Fb%22c%2Bd%3Def', 'a%2fb%22c%2bd%3def', String.raw`a\/b\"c+d=ef`, String.raw`a/b\"c+d=ef`, 'a/b"c+d=ef'],
    ],
  ])('returns the forms of %s', (_, headers, texts) => {
    expect(secretVariants(headers)?.texts).toEqual(expect.arrayContaining(texts));
  });

  it.each([
    ['.NET', 'ab+cd/ef&g\'"h==', String.raw`ab\u002Bcd/ef\u0026g\u0027\u0022h==`],
    ['Go', 'ab+cd/ef&g<h>==', String.raw`ab+cd/ef\u0026g\u003ch\u003e==`],
    ['Gson', "ab+cd/ef&g'h==", String.raw`ab+cd/ef\u0026g\u0027h\u003d\u003d`],
  ])('matches the JSON escapes of %s', (_, secret, pattern) => {
    expect(JSON.parse(`"${pattern}"`)).toBe(secret);
    const { redactor: secretRedactor, hits } = redactor('api-key', secret);
    expect(secretRedactor.whole(Buffer.from(`{"key":"${pattern}"}`)).toString()).toBe(`{"key":"${'*'.repeat(pattern.length)}"}`);
    expect(hits()).toBe(1);
  });

  it.each([
    ['Python in a URL', 'a/b%2Bc%3D%3Dd', 'a/b+c==d'],
    ['JavaScript in a whole address', 'a/b+c==d%22e', 'a/b+c==d"e'],
    ['HTML in PHP', 'a/b&amp;c==d&quot;&#039;', 'a/b&c==d"\''],
    ['HTML in Go', 'a/b&lt;c==d&#34;&#39;', 'a/b<c==d"\''],
    ['HTML in Python', 'a/b&gt;c==d&quot;&#x27;', 'a/b>c==d"\''],
  ])('matches the escapes of %s', (_, pattern, secret) => {
    const { redactor: secretRedactor, hits } = redactor('api-key', secret);
    expect(secretRedactor.whole(Buffer.from(`<p>${pattern}</p>`)).toString()).toBe(`<p>${'*'.repeat(pattern.length)}</p>`);
    expect(hits()).toBe(1);
  });

  it.each([['ollama'], ['lm-studio'], ['not-needed'], ['short'], ['dummy'], ['OPENAI_API_KEY']])(
    'ignores the placeholder %s, which responses may contain',
    (secretWord) => {
      expect(secretVariants(['authorization', `Bearer ${secretWord}`])).toBeUndefined();
    },
  );

  it('returns a form for a word that is known to be a secret', () => {
    expect(secretVariants([], ['guessed-secret'])?.texts).toEqual(['guessed-secret']);
  });
});

describe.each([0, manyChunks])('SecretRedactor after %i chunks', (uses) => {
  const forms = secretVariants(['x-key', oddSecret])?.texts ?? [];

  it('hides each form of a secret in one chunk', () => {
    expect(forms.length).toBeGreaterThan(3);
    for (const form of forms) {
      const secretRedactor = redactorOf(secretVariants(['x-key', oddSecret]), uses);
      expect(pieces(secretRedactor.redactor, `before ${form} after`, []).join('')).toBe(
        `before ${'*'.repeat(Buffer.byteLength(form))} after`,
      );
      expect(secretRedactor.hits()).toBe(1);
    }
  });

  it('hides a secret that is split at any position, and keeps the length', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant(key), fc.constant(key.slice(0, 9)), fc.string({ maxLength: 12 }), fc.constant('s')), {
          maxLength: 8,
        }),
        fc.array(fc.nat(200), { maxLength: 12 }),
        (parts, splitPositions) => {
          const text = parts.join('');
          const output = pieces(redactorOf(secretVariants(['x-api-key', key]), uses).redactor, text, splitPositions).join('');
          expect(output).not.toContain(key);
          expect(output.length).toBe(Buffer.byteLength(text));
          if (!text.includes(key) && !endsInside(text)) expect(Buffer.from(output, 'latin1').toString()).toBe(Buffer.from(text).toString());
        },
      ),
    );
  });

  it('hides each form of a secret that is split at any position', () => {
    for (const form of forms) {
      const { redactor: secretRedactor, hits } = redactorOf(secretVariants(['x-key', oddSecret]), uses);
      const length = Buffer.byteLength(form);
      for (let splitPosition = 1; splitPosition < length; splitPosition += 1)
        expect(pieces(secretRedactor, `a ${form} b`, [2 + splitPosition]).join('')).toBe(`a ${'*'.repeat(length)} b`);
      expect(hits()).toBe(length - 1);
    }
  });

  it('hides a secret that contains another one', () => {
    const inner = 'abc-1234567';
    const outer = `${inner}-tail-89`;
    for (const secrets of [
      [inner, outer],
      [outer, inner],
    ]) {
      const { redactor: secretRedactor } = redactorOf(secretVariants([], secrets), uses);
      const masked = `a ${'*'.repeat(outer.length)} b`;
      expect([secretRedactor.text(`a ${outer} b`), secretRedactor.whole(Buffer.from(`a ${outer} b`)).toString()]).toEqual([masked, masked]);
    }
  });

  it('passes a chunk unchanged if it cannot contain the beginning of a secret', () => {
    const { redactor: secretRedactor } = redactor('x-api-key', key);
    for (const text of ['data: {"a":1}\n\n', 'plain', 'sk-l and more']) {
      const chunk = Buffer.from(text);
      expect(secretRedactor.push(chunk)).toBe(chunk);
    }
    expect(secretRedactor.end()).toHaveLength(0);
  });

  it('holds back only what could be the beginning of a secret', () => {
    const { redactor: secretRedactor } = redactor('x-api-key', key);
    expect(secretRedactor.push(Buffer.from('xx sk-li')).toString()).toBe('xx ');
    expect(secretRedactor.push(Buffer.from('ne')).toString()).toBe('sk-line');
  });

  it('shows at the end at most half of a secret', () => {
    const { redactor: shortRedactor } = redactor('x-api-key', key);
    expect([shortRedactor.push(Buffer.from('see sk-li')).toString(), shortRedactor.end().toString()]).toEqual(['see ', 'sk-li']);
    const halfKey = key.slice(0, key.length / 2);
    const { redactor: otherRedactor } = redactor('x-api-key', key, 'x-other', 'zz-1234-5678');
    for (const text of [halfKey, 'sk-live-4'])
      expect([otherRedactor.push(Buffer.from(text)).length, otherRedactor.end().toString()]).toEqual([0, text]);
    const { redactor: longRedactor, hits } = redactor('x-api-key', key);
    const almostKey = key.slice(0, -1);
    expect([longRedactor.push(Buffer.from(almostKey)).toString(), longRedactor.end().toString(), hits()]).toEqual([
      '',
      '*'.repeat(almostKey.length),
      1,
    ]);
  });

  it('shows at most the first part of a secret in chunks that cannot be held back', () => {
    const { redactor: secretRedactor } = redactor('x-api-key', key);
    const chunks = [`a ${key.slice(0, 10)}`, `${key.slice(10)} b ${key}`].map((text) => Buffer.from(text));
    for (const chunk of chunks) secretRedactor.overwriteChunk(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(`a ${key.slice(0, 10)}${'*'.repeat(key.length - 10)} b ${'*'.repeat(key.length)}`);
  });
});

describe('SecretRedactor with headers', () => {
  it.each([
    [{ 'x-a': `v ${key}` }, { 'x-a': `v ${'*'.repeat(key.length)}` }, 1],
    [{ 'x-a': key.toUpperCase() }, { 'x-a': key.toUpperCase() }, 0],
    [{ [`x-${key}`]: '1', b: '2' }, { b: '2' }, 1],
  ])('masks %j', (headers, masked, found) => {
    const { redactor: secretRedactor, hits } = redactor('x-api-key', key);
    expect([secretRedactor.headers(headers as Record<string, string>), hits()]).toEqual([masked, found]);
  });

  it('returns the same object if there is no secret', () => {
    const headers = { 'content-type': 'application/json', 'x-long': 'x'.repeat(200) };
    expect(redactor('x-api-key', key).redactor.headers(headers)).toBe(headers);
  });
});

/** Returns whether the text ends with more than half of the key. */
function endsInside(text: string): boolean {
  for (let length = key.length - 1; length * 2 > key.length; length -= 1) if (text.endsWith(key.slice(0, length))) return true;
  return false;
}
