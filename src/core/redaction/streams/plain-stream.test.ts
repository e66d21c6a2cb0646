import fc from 'fast-check';
import { expect, it } from 'vitest';
import { namedPatterns } from '../find/hits.ts';
import { BodyRedactor } from '../index.ts';
import type { OperatorPattern } from '../rules.ts';

const neverMatching: OperatorPattern = { source: 'never', each: () => {} };
const commonRules = { fields: [], patterns: new Set(namedPatterns), media: 'digest' } as const;
const secrets = ['known-secret-of-the-file'];
const fastRedactor = new BodyRedactor({ ...commonRules, own: [] }, secrets);
/** Own patterns may match anywhere, so no stream is skipped after the quick scan. */
const fullRedactor = new BodyRedactor({ ...commonRules, own: [neverMatching] }, secrets);

/** Texts that are sensitive as a whole, or nearly; in a stream they arrive in pieces. */
const textPiece = fc.constantFrom(
  'Write to jane.doe@example.com, ',
  'phone 5551234567. ',
  '+49 30 1111111 ',
  '4111 1111 1111 1111',
  'key sk-abcdefghijklmnopqrstuvwxyz0123 ',
  'known-secret-of-the-file',
  'DE89370400440532013000',
  'api_key: abcdefgh12345678',
  '1111111111111',
  'a line\nand "one" more\\ ',
  'the same the same the same ',
  'http://u:pass@localhost/?key=1 ',
);
const size = fc.integer({ min: 1, max: 9 });
const pieces = fc
  .array(fc.tuple(textPiece, size), { minLength: 1, maxLength: 5 })
  .map((texts) => texts.flatMap(([text, maxLength]) => text.match(new RegExp(`[^]{1,${maxLength}}`, 'g')) ?? []));

type Event = (piece: string, n: number) => Readonly<Record<string, unknown>>;
const forms: readonly Event[] = [
  (content, n) => ({ id: 'chatcmpl-1', created: 1712345678, choices: [{ index: 0, delta: { content } }], obfuscation: 'x'.repeat(n % 5) }),
  (content, n) => ({ choices: [{ index: n % 2, delta: { content } }] }),
  (content, n) => ({ choices: [{ delta: { content }, 'the index': n }] }),
  (delta, n) => ({ type: 'response.output_text.delta', sequence_number: n * 7, output_index: 0, delta }),
  (delta, n) => ({ type: 'response.output_text.delta', sequence_number: n * 111_111_111, phone: n * 77_777, delta }),
  (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  (text) => ({ type: 'content_block_delta', index: 1, delta: { type: text, text: 'same' } }),
  (text, n) => ({ candidates: [{ content: { parts: [{ text }] }, index: 0 }], usage: { tokens: 1.5 + n, all: [n, -n] } }),
  (text, n) => ({ [n % 3 === 0 ? 'a1' : 'a2']: 1, text }),
  (text, n) => ({ text, api_key: n % 9 === 8 ? text : null, more: '' }),
];
const lineEnds = ['\n\n', '\r\n\r\n', '\r\r', '\n', '\r'];

function mask(redactor: BodyRedactor, bytes: Buffer): unknown {
  const redaction = redactor.begin(1 << 20);
  const out = redaction.response({ pieces: [bytes], size: bytes.length, contentType: 'text/event-stream' });
  if (out === 'too-large') throw new Error(out);
  return { text: out.bytes.toString('latin1'), isCut: out.isCut, end: out.moved(bytes.length), counts: redaction.counts };
}

const lines = (events: readonly string[], lineEnd = '\n\n'): Buffer => Buffer.from(events.map((event) => event + lineEnd).join(''));
const data = (value: unknown): string => `data: ${JSON.stringify(value)}`;
const chat = (content: string, n: number): string =>
  data({ choices: [{ index: 0, delta: { content } }], obfuscation: 'x'.repeat((n % 3) + 1) });
const characters = (text: string): readonly string[] => text.split('');

/** Contains nothing sensitive if each piece is repeated. */
const splitSecret = ['a', 'b', 'c', 'known-', 'secret', '-of-the', '-file', ' d'];

/** Streams whose sensitive value depends on one detail that the quick scan must not miss. */
const trapCases: Readonly<Record<string, readonly string[]>> = {
  'a piece that repeats in the middle': ['a', 'b', 'c ', ...characters('4444444444444448'), ' d'].map(chat),
  'pieces that are the same, until one differs': ['4444 ', '4444 ', '4444 ', '4448', ' a'].map((text) => data({ text })),
  'a piece that is equal in each event, after another piece': [
    data({ choices: [{ index: 0, delta: { content: 'a ', role: 'assistant' } }], obfuscation: 'x' }),
    ...characters('4444444444444448').map(chat),
  ],
  'an index in a list': splitSecret.flatMap((content) => [0, 1].map((index) => data({ index: [0, index], content }))),
  'two names of the same length, in turn': splitSecret.flatMap((content, n) =>
    n < 2 ? [data({ text: content })] : [data({ text: content }), data({ said: content })],
  ),
  'two choices, in turn': splitSecret.flatMap((content) => [0, 1].map((index) => data({ choices: [{ index, delta: { content } }] }))),
  'an index after its text': splitSecret.flatMap((content) => [0, 1].map((index) => data({ choices: [{ delta: { content }, index }] }))),
  'a number that grows into one of a telephone': [1, 2, 3, 4, 5_551_234].map((phone, n) => data({ phone, text: `word ${n}` })),
  'an escape in a piece': ['a', 'b', 'jane\\u0040', 'example', '.com'].map((text) => `data: {"text":"${text}"}`),
  'an escape in a piece that repeats': [...characters('ab'), 'jane', '\\u0040', 'example', '.com'].flatMap((text, n) =>
    n < 2 ? [`data: {"text":"x","more":"${text}\\n"}`] : [`data: {"text":"${text}","more":"${n}\\n"}`],
  ),
  'a known secret in pieces': ['a', 'b', 'known-secret', '-of-the', '-file', ' c'].map(chat),
  'a comment': [chat('a', 1), ': jane@example.com', chat('b', 2)],
  'a line that is not JSON': [chat('a', 1), 'data: ask jane@example.com', chat('b', 2)],
  'a file in a piece': [...characters('abc'), 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo'.repeat(40)].map(chat),
  'a member name that marks a secret': [...characters('abcdef')].map((text, n) => data({ text, secret: n < 5 ? '' : 'opensesame' })),
  'an event that equals others up to a change': [...characters('abc')]
    .map((text) => data({ text }))
    .concat('data: {"text":"d","to":"jane@example.com"}'),
};

it.each(Object.entries(trapCases))('the quick scan of a stream does not miss %s', (_, events) => {
  const bytes = lines(events);
  const result = mask(fastRedactor, bytes) as { text: string };
  expect(result).toEqual(mask(fullRedactor, bytes));
  expect(result.text).not.toBe(bytes.toString('latin1'));
});

it('the quick scan skips no stream that the full scan would change', () => {
  const section = fc.tuple(fc.constantFrom(...forms), pieces, fc.constantFrom(0, 1), fc.boolean());
  let plainCount = 0;
  fc.assert(
    fc.property(fc.array(section, { minLength: 1, maxLength: 3 }), fc.constantFrom(...lineEnds), (sections, lineEnd) => {
      const events = sections.flatMap(([form, texts, indent, isNamed]) =>
        texts.map((text, n) => {
          const json = JSON.stringify(form(text, n), null, indent).replaceAll('\n', ' ');
          return `${isNamed ? 'event: content_block_delta\n' : ''}data: ${json}`;
        }),
      );
      const bytes = lines(events, lineEnd);
      const result = mask(fastRedactor, bytes) as { text: string };
      expect(result).toEqual(mask(fullRedactor, bytes));
      if (result.text === bytes.toString('latin1')) plainCount += 1;
    }),
    { numRuns: 2000 },
  );
  expect(plainCount).toBeGreaterThan(100);
});
