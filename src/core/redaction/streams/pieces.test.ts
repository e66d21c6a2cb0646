import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedPatterns } from '../find/hits.ts';
import { frameOf } from '../fixtures/frame.ts';
import { sizeOfPieces } from '../../memory/byte-pieces.ts';
import { BodyRedactor, type Redacted } from '../index.ts';
import type { OperatorPattern } from '../rules.ts';

const redactor = new BodyRedactor({ fields: [], patterns: new Set(namedPatterns), own: [], media: 'digest' }, []);

function masked(text: string | Buffer, contentType: string): string {
  const bytes = Buffer.from(text);
  const out = redactor.begin(1 << 20).response({ pieces: [bytes], size: bytes.length, contentType });
  if (out === 'too-large') throw new Error(out);
  return out.bytes.toString('utf8');
}

const types = ['text/event-stream', 'application/x-ndjson', 'text/plain', 'application/octet-stream', 'application/jsonl', ''];
const write = (type: string, events: readonly unknown[]): string =>
  events.map((event) => (type === 'text/event-stream' ? `data: ${JSON.stringify(event)}\n\n` : `${JSON.stringify(event)}\n`)).join('');

const key = 'sk-abcdefghijklmnopqrstuvwxyz0123';
const longLine = { id: 'x', text: 'words of a long line, '.repeat(60) };

describe.each(types)('lines of type "%s"', (type) => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['a key after a word', ['hello', key, 'more'], ['hello', '[secret]', 'more']],
    ['a phone number after a word', ['hello', '+49 30 1234567'], ['hello', '[phone]']],
    ['a card before a digit', ['4111 1111 1111 1111', '5'], ['[credit_card]', '5']],
    ['a card after equal texts', ['word', 'word', '4111 1111 1111 1111'], ['word', 'word', '[credit_card]']],
    ['the same card in each line', ['4111 1111 1111 1111', '4111 1111 1111 1111', 'x'], ['[credit_card]', '[credit_card]', 'x']],
    ['an account before a letter', ['DE89 3704 0044 0532 0130 00', '1'], ['[iban]', '1']],
    ['a card at the end of a long text', [`${'a b '.repeat(200)}4111 1111 1111 1111`, '5'], [`${'a b '.repeat(200)}[credit_card]`, '5']],
    ['a key at the beginning of a long text', ['x', `${key} ${'a b '.repeat(200)}`], ['x', `[secret] ${'a b '.repeat(200)}`]],
  ])('has each text searched on its own, too: %s', (_, texts, expected) => {
    const events = (list: readonly string[]): unknown[] => list.map((a) => ({ a }));
    expect(masked(write(type, events(texts)), type)).toBe(write(type, events(expected)));
    const others = [{ b: 'x' }, { b: 'y' }, { b: 'z' }];
    expect(masked(write(type, [...others, ...events(texts)]), type)).toBe(write(type, [...others, ...events(expected)]));
  });

  it('has a value masked that is split over lines, also behind a long line', () => {
    const [pieces, shown] = [
      ['mail jane', '@exam', 'ple.com now'],
      ['mail [email]', '', ' now'],
    ].map((list) => list.map((response) => ({ response })));
    expect(masked(write(type, pieces ?? []), type)).toBe(write(type, shown ?? []));
    expect(masked(write(type, [longLine, ...(pieces ?? [])]), type)).toBe(write(type, [longLine, ...(shown ?? [])]));
  });

  it('has the value of each pair masked whose name is that of a secret', () => {
    const pair = (name: string, value: string) => ({ name, value });
    const clean = [pair('REGION', 'eu'), pair('STAGE', 'prod'), pair('SIZE', 'large'), pair('COLOR', 'red')];
    const lines = (value: string): string => write(type, [...clean, pair('API_KEY', value), pair('DB_PASSWORD', value)]);
    expect(masked(lines('hunter2'), type)).toBe(lines('[secret]'));
  });
});

describe('a stream whose index rises with each event', () => {
  /** Amazon Nova, invoked with its own format. */
  const frames = (pieces: readonly string[]): Buffer => {
    const deltas = pieces.map((text, contentBlockIndex) => ({ contentBlockDelta: { delta: { text }, contentBlockIndex } }));
    const stops = pieces.map((_, contentBlockIndex) => ({ contentBlockStop: { contentBlockIndex } }));
    return Buffer.concat(
      deltas
        .flatMap((delta, i) => [delta, stops[i]])
        .map((event) => frameOf('chunk', JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString('base64') }))),
    );
  };
  const textOf = (out: string): string => [...out.matchAll(/"text":"([^"]*)"/g)].map(([, text]) => text).join('');

  it.each([1, 3, 7])('has a value masked in pieces of %i characters', (size) => {
    const pieces = `mail jane.doe@example.com or ${key}, bye`.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
    expect(textOf(masked(frames(pieces), 'application/vnd.amazon.eventstream'))).toBe('mail [email] or [secret], bye');
  });

  it('has each text searched on its own, too', () => {
    const texts = ['see', '030 1234567', 'or', '555-234-5678', '12'];
    expect(textOf(masked(frames(texts), 'application/vnd.amazon.eventstream'))).toBe('see[phone]or[phone]12');
  });

  it('has equal texts not joined', () => {
    const texts = Array.from({ length: 8 }, () => '4111');
    expect(textOf(masked(frames(texts), 'application/vnd.amazon.eventstream'))).toBe('4111'.repeat(8));
  });
});

it.each<[string, string]>([
  ['one JSON text over lines', '{"a":\n{"b":"mail jane"},\n"c":{"b":"@example.com"}}'],
  ['a list over lines', '[{"b":"mail jane"},\n{"b":"@example.com"}]'],
  ['one line', '{"b":"mail jane"}\n'],
  ['a text before lines', 'mail jane\n{"b":"@example"}\n{"b":".com"}\n'],
])('%s is not a stream of lines', (_, text) => {
  expect(masked(text, 'text/plain')).toBe(text);
});

it('the text of a masked field of the request is masked in a stream that repeats it', () => {
  const rules = { fields: ['user'], patterns: new Set(namedPatterns), own: [], media: 'digest' } as const;
  const redaction = new BodyRedactor(rules, []).begin(1 << 20);
  redaction.request('{"user":"customer-4711","input":"customer"}');
  const stream = (user: string): Buffer => Buffer.from(`data: {"response":{"user":"${user}","text":"customer"}}\n\n`);
  for (const contentType of ['text/event-stream', 'application/x-ndjson']) {
    const pieces = [stream('customer-4711')];
    const out = redaction.response({ pieces, size: sizeOfPieces(pieces), contentType });
    expect(out === 'too-large' ? out : out.bytes.toString()).toBe(stream('[field]').toString());
  }
});

it('the quick scan skips no stream that the full scan would change', () => {
  const patterns = new Set(namedPatterns);
  const never: OperatorPattern = { source: 'never', each: () => {} };
  const [fast, full] = [[], [never]].map((own) => new BodyRedactor({ fields: [], patterns, own, media: 'digest' }, ['a-known-secret'])) as [
    BodyRedactor,
    BodyRedactor,
  ];
  const value = fc.constantFrom(key, '+49 30 1234567', '4111 1111 1111 1111', 'DE89370400440532013000', 'a-known-secret', 'a@b.example');
  const word = fc.oneof(
    fc.constantFrom('hello', ' ', '', 'x', '12', '\n', 'API_KEY', 'Bearer ', 'password='),
    value,
    fc.string({ maxLength: 14 }),
  );
  const piece = fc.oneof(
    word,
    fc.tuple(word, word).map((words) => words.join('')),
    value.map((text) => text.slice(0, 7)),
    value.map((text) => text.slice(7)),
  );
  const event = fc.oneof(
    fc.record({ name: piece, value: piece }),
    fc.record({ a: piece }),
    fc.record({ delta: piece, index: fc.nat({ max: 9 }) }),
    fc.record({ key: piece, phone: fc.constantFrom('5551234567', '612345678', 'x') }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), fc.constantFrom(...types), (events, contentType) => {
      const pieces = [Buffer.from(write(contentType, events))];
      const [one, other] = [fast, full].map((each) => each.begin(1 << 20).response({ pieces, size: sizeOfPieces(pieces), contentType }));
      expect((one as Redacted).bytes.toString()).toBe((other as Redacted).bytes.toString());
    }),
    { numRuns: 2000 },
  );
});
