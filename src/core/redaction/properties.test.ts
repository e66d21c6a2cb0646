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
const almostSecrets = [
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
const separator = fc.constantFrom('', ' ', '\n', '"', ', ', ' (', '\\', '\t', '; ', '\u{1F600} ', '<', '>');
const plainWords = fc.string({ unit: 'grapheme', maxLength: 30 });
/** A value inside a text, not directly next to letters or digits. */
const text = fc.tuple(plainWords, separator, fc.option(fc.constantFrom(...values)), separator, plainWords).map(([a, b, value, c, d]) => ({
  text: value === null ? a + d : `${a} ${b}${value}${c} ${d}`,
  value,
}));
const body = fc.letrec((ref) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    text.map((text) => text.text),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, 4111111111111111),
    fc.array(ref('node'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        fc.constantFrom('user', 'a', 'b', 'phone', 'api_key', 'logprobs', 'messages', 'role', 'content'),
        fc.string({ maxLength: 5 }),
      ),
      ref('node'),
      { maxKeys: 4 },
    ),
  ),
})).node;

function redact(json: string): string {
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
        const redactedOnce = redact(json);
        JSON.parse(redactedOnce);
        expect(redact(redactedOnce)).toBe(redactedOnce);
      }),
      { numRuns: 500 },
    );
  });

  it('returns none of the sensitive values', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), fc.boolean(), (texts, escapes) => {
        const json = JSON.stringify({ messages: texts.map((text) => ({ role: 'user', content: text.text })) });
        const out = JSON.stringify(JSON.parse(redact(escapes ? escaped(json) : json)));
        for (const { value } of texts) if (value !== null) expect(out).not.toContain(value);
      }),
      { numRuns: 500 },
    );
  });

  it('the quick scan skips no body that the full scan would change', () => {
    const neverMatching: OperatorPattern = { source: 'never', each: () => {} };
    const patternRedactor = { fields: [], patterns: new Set(namedPatterns), media: 'digest' } as const;
    const fastRedactor = new BodyRedactor({ ...patternRedactor, own: [] }, ['known-secret-of-the-file']);
    // Own patterns may match anywhere, so no body is skipped after the quick scan.
    const fullRedactor = new BodyRedactor({ ...patternRedactor, own: [neverMatching] }, ['known-secret-of-the-file']);
    const name = fc.oneof(
      fc.constantFrom('model', 'content', 'created', 'api_key', 'ke_y', 'Secret-', 'token', 'phone', 'logprobs', 'usage'),
      fc.constantFrom(
        'key',
        'authorization_token',
        'X-Auth-Token',
        'pass',
        'dbPass',
        'pin',
        'cvv',
        'auth',
        'passwords',
        'myCookie',
        'dbPassword',
        'passphrase',
        'pass_phrase',
        'page_token',
      ),
      fc.constantFrom('name', 'value', 'Value'),
      fc.constantFrom('jane@example.com', 'a@b', '4111111111111111', 'DE89370400440532013000', 'sk-abcdefghijklmnop_0123', 'max_tokens_2'),
    );
    const piece = fc.oneof(
      fc.constantFrom(...values, ...almostSecrets),
      separator,
      fc.constantFrom('the ', 'phone ', 'password=', 'Bearer ', 'http://', '?key=', '@', '://', ':', '+'),
      fc.constantFrom(String.raw`\u0040`, String.raw`\n`, String.raw`\/`, String.raw`\rk_live_abcdefghijklmnop1234`),
      fc.constantFrom('<password>abc</password>', '<name>API_KEY</name>\n<value>', 'abc</value>', '<a pwd="a1-b"/>', '<password>'),
      fc.constantFrom(
        'my password is ',
        'PASSWORD ',
        "password '",
        'sshpass -p ',
        ' -p',
        'curl -u jo:',
        '--password ',
        'setPassword("',
        'auth=("jo", "',
      ),
      fc.constantFrom(
        'password: |\n  ',
        'kind: Secret\ndata:\n  a: ',
        '&lt;password&gt;abc&lt;/password&gt;',
        '＋４９ ３０ １２３４５６７',
        '４１１１',
      ),
      fc.constantFrom('hunter2', '2fast4u-x', 'a:1:b2', '?pass=', '&sig=', 'machine h login jo password ', ' is ', '") ', "') "),
      fc.constantFrom('"value":"abc","name":"API_KEY"', 'value: abc12345\n name: API_KEY', '[["api_key","abc12345"]]'),
      fc.constantFrom('"name":"API_KEY","value":"abc"', 'name: API_KEY\n value: abc12345', "key='ApiKey' value='abc12345'"),
      fc.stringMatching(/^[A-Za-z0-9+ ()./=@-]{1,12}$/),
    );
    const announcedSecret = fc.tuple(
      fc.constantFrom('api_key', 'Authorization', 'my_token', 'pwd', 'bearer', 'basic ', 'a.key', 'passphrase', 'Cookie', ''),
      fc.constantFrom(': ', '=', ' ', '":"', "='", '\n', '\\', ' = Bearer ', '\u00a0', ' (', '@'),
      fc.constantFrom('abcdefgh12345678', 'claude-sonnet-4-5', '0f8fad5b-d9cb-469f-a165-70867728950e', 'P@ssw0rd!', 'word', 'a"b'),
    );
    // Each string of a long request is checked separately if the request as a whole may contain something.
    const filler = fc.constantFrom('', '', 'plain words of a long message, '.repeat(4));
    const spokenText = fc
      .array(
        fc.oneof(
          piece,
          announcedSecret.map((parts) => parts.join('')),
        ),
        { maxLength: 6 },
      )
      .chain((pieces) => fc.tuple(filler, fc.constant(pieces.join('')), filler))
      .map((pieces) => pieces.join(''));
    const value = fc.oneof(
      spokenText,
      fc.constantFrom('a1b2c3d4e5f6a7b8c9d0e1f2', 'API_KEY', 'DB_PASSWORD', 'a-word-and-another-one', '12345678901234567890123'),
      fc.constantFrom(4711, 123, 1712345678, 4111111111111111, 5551234567, null),
      fc.array(spokenText, { maxLength: 2 }),
      fc.constant([['api_key', 'abc12345']]),
      fc.constant({}),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 5 }), fc.constantFrom(0, 1), fc.boolean(), (members, indent, escapes) => {
        const json = JSON.stringify(Object.fromEntries(members), null, indent);
        const text = Buffer.from(escapes ? escaped(json) : json, 'utf8').toString('latin1');
        const [fast, full] = [fastRedactor.begin(1 << 20), fullRedactor.begin(1 << 20)];
        expect(fast.request(text)).toMatchObject({ body: { bytes: (full.request(text).body as { bytes: Buffer }).bytes } });
        expect(fast.counts).toEqual(full.counts);
      }),
      { numRuns: 3000 },
    );
  });

  it.each(Array.from({ length: 16 }, (_, spaces) => spaces))('finds a number at the very end, after %i spaces', (spaces) => {
    const bytes = Buffer.from(`{"a":"${' '.repeat(spaces)}phone 5551234`);
    const commonRules = new BodyRedactor({ fields: [], patterns: new Set(namedPatterns), own: [], media: 'digest' }, []);
    const masked = commonRules.begin(1000).response({ pieces: [bytes], size: bytes.length, contentType: 'application/json' });
    expect(String((masked as { bytes: Buffer }).bytes)).toBe(`{"a":"${' '.repeat(spaces)}phone [phone]`);
  });

  it('never throws, for any bytes in any format', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ maxLength: 100 }),
        fc.constantFrom('application/json', 'text/event-stream', 'application/vnd.amazon.eventstream', 'text/plain', ''),
        (bytes, extraBytes, contentType) => {
          for (const piece of [Buffer.from(bytes), Buffer.from(`data: {"a":"${extraBytes}`), Buffer.from(`{"a":[${extraBytes}`)]) {
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
        fc.array(fc.oneof(fc.constantFrom(...values), separator, fc.string({ maxLength: 6 }), fc.stringMatching(/^[0-9+ ()./-]{1,12}$/)), {
          maxLength: 8,
        }),
        (parts) => {
          const redactedOnce = redactor.begin(1000).text(parts.join(' '));
          expect(redactor.begin(1000).text(redactedOnce)).toBe(redactedOnce);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
