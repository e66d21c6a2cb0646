import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedPatterns } from './find/hits.ts';
import { BodyRedactor } from './index.ts';
import type { OperatorPattern } from './rules.ts';

const redactor = new BodyRedactor({ fields: ['user', 'a[*].b'], patterns: new Set(namedPatterns), own: [], media: 'digest' }, [
  'known-secret-of-the-file',
]);

/** Values that must never be stored. */
const values = [
  'jane.doe@example.com',
  '+49 30 1234567',
  '4111 1111 1111 1111',
  'DE89370400440532013000',
  'sk-abcdefghijklmnopqrstuvwxyz0123',
  '(555) 123-4567',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3',
];
/** Texts that look similar to them, or are sensitive only in some contexts. */
const nearly = [
  'gpt-4o-2024-08-06',
  '+2024-07-18',
  'AB2024-07-18',
  '@bench/mock-1',
  'react@18.2.0',
  'a%40b',
  'jane%40example.com',
  'chatcmpl-A1b2C3d4E5f6G7h8I9j0',
  'do-something-long-enough',
  'https://host.example/a?b=c',
  'https://a.example/x?u=http://b.example?api_key=abc&d',
  'http://u:pass@localhost',
  'abcdefgh12345678',
  '5551234567',
  'QUJD'.repeat(20),
];
const around = fc.constantFrom('', ' ', '\n', '"', ', ', ' (', '\\', '\t', '; ', '\u{1F600} ', '<', '>');
const words = fc.string({ unit: 'grapheme', maxLength: 30 });
/** A value inside a text, not directly next to letters or digits. */
const text = fc.tuple(words, around, fc.option(fc.constantFrom(...values)), around, words).map(([a, b, value, c, d]) => ({
  text: value === null ? a + d : `${a} ${b}${value}${c} ${d}`,
  value,
}));
const body = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    text.map((one) => one.text),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, 4111111111111111),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        fc.constantFrom('user', 'a', 'b', 'phone', 'api_key', 'logprobs', 'messages', 'role', 'content'),
        fc.string({ maxLength: 5 }),
      ),
      tie('node'),
      { maxKeys: 4 },
    ),
  ),
})).node;

function shown(json: string): string {
  const out = redactor.begin(1 << 20).request(Buffer.from(json, 'utf8').toString('latin1')).body;
  if (out === 'too-large') throw new Error(out);
  return out.bytes.toString('utf8');
}

const escaped = (json: string): string => json.replaceAll(/[@é]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

describe('BodyRedactor, for any body', () => {
  it('returns valid JSON that does not change when it is masked again', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), body), fc.boolean(), (value, escapes) => {
        const json = escapes ? escaped(JSON.stringify(value)) : JSON.stringify(value);
        const once = shown(json);
        JSON.parse(once);
        expect(shown(once)).toBe(once);
      }),
      { numRuns: 500 },
    );
  });

  it('returns none of the sensitive values', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), fc.boolean(), (texts, escapes) => {
        const json = JSON.stringify({ messages: texts.map((one) => ({ role: 'user', content: one.text })) });
        const out = JSON.stringify(JSON.parse(shown(escapes ? escaped(json) : json)));
        for (const { value } of texts) if (value !== null) expect(out).not.toContain(value);
      }),
      { numRuns: 500 },
    );
  });

  it('the quick scan skips no body that the full scan would change', () => {
    const never: OperatorPattern = { source: 'never', each: () => {} };
    const usual = { fields: [], patterns: new Set(namedPatterns), media: 'digest' } as const;
    const quick = new BodyRedactor({ ...usual, own: [] }, ['known-secret-of-the-file']);
    // Own patterns may match anywhere, so no body is skipped after the quick scan.
    const thorough = new BodyRedactor({ ...usual, own: [never] }, ['known-secret-of-the-file']);
    const name = fc.oneof(
      fc.constantFrom('model', 'content', 'created', 'api_key', 'ke_y', 'Secret-', 'token', 'phone', 'logprobs', 'usage'),
      fc.constantFrom('key', 'authorization_token', 'X-Auth-Token', 'myCookie', 'dbPassword', 'passphrase', 'pass_phrase', 'page_token'),
      fc.constantFrom('name', 'value', 'Value'),
      fc.constantFrom('jane@example.com', 'a@b', '4111111111111111', 'DE89370400440532013000', 'sk-abcdefghijklmnop_0123', 'max_tokens_2'),
    );
    const piece = fc.oneof(
      fc.constantFrom(...values, ...nearly),
      around,
      fc.constantFrom('the ', 'phone ', 'password=', 'Bearer ', 'http://', '?key=', '@', '://', ':', '+'),
      fc.constantFrom(String.raw`\u0040`, String.raw`\n`, String.raw`\/`, String.raw`\rk_live_abcdefghijklmnop1234`),
      fc.constantFrom('"name":"API_KEY","value":"abc"', 'name: API_KEY\n value: abc12345', "key='ApiKey' value='abc12345'"),
      fc.stringMatching(/^[A-Za-z0-9+ ()./=@-]{1,12}$/),
    );
    const announced = fc.tuple(
      fc.constantFrom('api_key', 'Authorization', 'my_token', 'pwd', 'bearer', 'basic ', 'a.key', 'passphrase', 'Cookie', ''),
      fc.constantFrom(': ', '=', ' ', '":"', "='", '\n', '\\', ' = Bearer ', '\u00a0', ' (', '@'),
      fc.constantFrom('abcdefgh12345678', 'claude-sonnet-4-5', '0f8fad5b-d9cb-469f-a165-70867728950e', 'P@ssw0rd!', 'word', 'a"b'),
    );
    // Each string of a long request is checked separately if the request as a whole may contain something.
    const filler = fc.constantFrom('', '', 'plain words of a long message, '.repeat(4));
    const said = fc
      .array(
        fc.oneof(
          piece,
          announced.map((parts) => parts.join('')),
        ),
        { maxLength: 6 },
      )
      .chain((pieces) => fc.tuple(filler, fc.constant(pieces.join('')), filler))
      .map((pieces) => pieces.join(''));
    const value = fc.oneof(
      said,
      fc.constantFrom('a1b2c3d4e5f6a7b8c9d0e1f2', 'API_KEY', 'DB_PASSWORD', 'a-word-and-another-one', '12345678901234567890123'),
      fc.constantFrom(1712345678, 4111111111111111, 5551234567, null),
      fc.array(said, { maxLength: 2 }),
      fc.constant({}),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 5 }), fc.constantFrom(0, 1), fc.boolean(), (members, indent, escapes) => {
        const plain = JSON.stringify(Object.fromEntries(members), null, indent);
        const text = Buffer.from(escapes ? escaped(plain) : plain, 'utf8').toString('latin1');
        const [one, other] = [quick.begin(1 << 20), thorough.begin(1 << 20)];
        expect(one.request(text)).toMatchObject({ body: { bytes: (other.request(text).body as { bytes: Buffer }).bytes } });
        expect(one.counts).toEqual(other.counts);
      }),
      { numRuns: 3000 },
    );
  });

  it.each(Array.from({ length: 16 }, (_, lead) => lead))('finds a number at the very end, after %i spaces', (lead) => {
    const bytes = Buffer.from(`{"a":"${' '.repeat(lead)}phone 5551234`);
    const usual = new BodyRedactor({ fields: [], patterns: new Set(namedPatterns), own: [], media: 'digest' }, []);
    const masked = usual.begin(1000).response({ pieces: [bytes], size: bytes.length, contentType: 'application/json' });
    expect(String((masked as { bytes: Buffer }).bytes)).toBe(`{"a":"${' '.repeat(lead)}phone [phone]`);
  });

  it('never throws, for any bytes in any format', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ maxLength: 100 }),
        fc.constantFrom('application/json', 'text/event-stream', 'application/vnd.amazon.eventstream', 'text/plain', ''),
        (bytes, more, contentType) => {
          for (const piece of [Buffer.from(bytes), Buffer.from(`data: {"a":"${more}`), Buffer.from(`{"a":[${more}`)]) {
            redactor.begin(200).response({ pieces: [piece], size: piece.length, contentType });
            redactor.begin(200).response({ pieces: [piece], size: piece.length + 9, contentType });
          }
          redactor.begin(200).request(Buffer.from(bytes).toString('latin1'));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('returns the same text when a masked text is masked again', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...values), around, fc.string({ maxLength: 6 }), fc.stringMatching(/^[0-9+ ()./-]{1,12}$/)), {
          maxLength: 8,
        }),
        (parts) => {
          const once = redactor.begin(1000).text(parts.join(' '));
          expect(redactor.begin(1000).text(once)).toBe(once);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
