import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SecretVariants, SecretRedactor, secretVariants } from './redactor.ts';

const key = 'sk-live-4f9a8b7c6d5e4f3a2b1c';
const odd = 'a/b+c "d"=\\e\\ü-1234567';

/** Number of chunks after which the search uses tables. */
const often = 100;

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
function pieces(one: SecretRedactor, text: string, cuts: readonly number[]): string[] {
  const bytes = Buffer.from(text);
  const places = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].toSorted((a, b) => a - b);
  const out: string[] = [];
  for (const [i, place] of [...places, bytes.length].entries()) {
    out.push(one.push(Buffer.from(bytes.subarray(places[i - 1] ?? 0, place))).toString('latin1'));
  }
  return [...out, one.end().toString('latin1')];
}

describe('secretForms', () => {
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
  ])('matches the JSON escapes of %s', (_, secret, written) => {
    expect(JSON.parse(`"${written}"`)).toBe(secret);
    const { redactor: one, hits } = redactor('api-key', secret);
    expect(one.whole(Buffer.from(`{"key":"${written}"}`)).toString()).toBe(`{"key":"${'*'.repeat(written.length)}"}`);
    expect(hits()).toBe(1);
  });

  it.each([['ollama'], ['lm-studio'], ['not-needed'], ['short'], ['dummy'], ['OPENAI_API_KEY']])(
    'ignores the placeholder %s, which responses may contain',
    (word) => {
      expect(secretVariants(['authorization', `Bearer ${word}`])).toBeUndefined();
    },
  );

  it('returns a form for a word that is known to be a secret', () => {
    expect(secretVariants([], ['guessed-secret'])?.texts).toEqual(['guessed-secret']);
  });
});

describe.each([0, often])('SecretRedactor after %i chunks', (uses) => {
  const forms = secretVariants(['x-key', odd])?.texts ?? [];

  it('hides each form of a secret in one chunk', () => {
    expect(forms.length).toBeGreaterThan(3);
    for (const form of forms) {
      const one = redactorOf(secretVariants(['x-key', odd]), uses);
      expect(pieces(one.redactor, `before ${form} after`, []).join('')).toBe(`before ${'*'.repeat(Buffer.byteLength(form))} after`);
      expect(one.hits()).toBe(1);
    }
  });

  it('hides a secret that is split at any position, and keeps the length', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant(key), fc.constant(key.slice(0, 9)), fc.string({ maxLength: 12 }), fc.constant('s')), {
          maxLength: 8,
        }),
        fc.array(fc.nat(200), { maxLength: 12 }),
        (parts, cuts) => {
          const text = parts.join('');
          const out = pieces(redactorOf(secretVariants(['x-api-key', key]), uses).redactor, text, cuts).join('');
          expect(out).not.toContain(key);
          expect(out.length).toBe(Buffer.byteLength(text));
          if (!text.includes(key) && !endsInside(text)) expect(Buffer.from(out, 'latin1').toString()).toBe(Buffer.from(text).toString());
        },
      ),
    );
  });

  it('hides each form of a secret that is split at any position', () => {
    for (const form of forms) {
      const { redactor: one, hits } = redactorOf(secretVariants(['x-key', odd]), uses);
      const length = Buffer.byteLength(form);
      for (let cut = 1; cut < length; cut += 1) expect(pieces(one, `a ${form} b`, [2 + cut]).join('')).toBe(`a ${'*'.repeat(length)} b`);
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
      const { redactor: one } = redactorOf(secretVariants([], secrets), uses);
      const shown = `a ${'*'.repeat(outer.length)} b`;
      expect([one.text(`a ${outer} b`), one.whole(Buffer.from(`a ${outer} b`)).toString()]).toEqual([shown, shown]);
    }
  });

  it('passes a chunk unchanged if it cannot contain the beginning of a secret', () => {
    const { redactor: one } = redactor('x-api-key', key);
    for (const text of ['data: {"a":1}\n\n', 'plain', 'sk-l and more']) {
      const chunk = Buffer.from(text);
      expect(one.push(chunk)).toBe(chunk);
    }
    expect(one.end()).toHaveLength(0);
  });

  it('holds back only what could be the beginning of a secret', () => {
    const { redactor: one } = redactor('x-api-key', key);
    expect(one.push(Buffer.from('xx sk-li')).toString()).toBe('xx ');
    expect(one.push(Buffer.from('ne')).toString()).toBe('sk-line');
  });

  it('shows at the end at most half of a secret', () => {
    const { redactor: short } = redactor('x-api-key', key);
    expect([short.push(Buffer.from('see sk-li')).toString(), short.end().toString()]).toEqual(['see ', 'sk-li']);
    const half = key.slice(0, key.length / 2);
    const { redactor: other } = redactor('x-api-key', key, 'x-other', 'zz-1234-5678');
    for (const text of [half, 'sk-live-4']) expect([other.push(Buffer.from(text)).length, other.end().toString()]).toEqual([0, text]);
    const { redactor: long, hits } = redactor('x-api-key', key);
    const most = key.slice(0, -1);
    expect([long.push(Buffer.from(most)).toString(), long.end().toString(), hits()]).toEqual(['', '*'.repeat(most.length), 1]);
  });

  it('shows at most the first part of a secret in chunks that cannot be held back', () => {
    const { redactor: one } = redactor('x-api-key', key);
    const chunks = [`a ${key.slice(0, 10)}`, `${key.slice(10)} b ${key}`].map((text) => Buffer.from(text));
    for (const chunk of chunks) one.overwriteChunk(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(`a ${key.slice(0, 10)}${'*'.repeat(key.length - 10)} b ${'*'.repeat(key.length)}`);
  });
});

describe('SecretRedactor with headers', () => {
  it.each([
    [{ 'x-a': `v ${key}` }, { 'x-a': `v ${'*'.repeat(key.length)}` }, 1],
    [{ 'x-a': key.toUpperCase() }, { 'x-a': key.toUpperCase() }, 0],
    [{ [`x-${key}`]: '1', b: '2' }, { b: '2' }, 1],
  ])('masks %j', (headers, shown, found) => {
    const { redactor: one, hits } = redactor('x-api-key', key);
    expect([one.headers(headers as Record<string, string>), hits()]).toEqual([shown, found]);
    expect(one.pairs(Object.entries(headers).flat())).toEqual(Object.entries(shown).flat());
    expect(hits()).toBe(2 * found);
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
