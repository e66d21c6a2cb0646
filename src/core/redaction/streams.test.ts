import { describe, expect, it } from 'vitest';
import { namedPatterns } from './find/hits.ts';
import { type Redacted, BodyRedactor } from './index.ts';
import { frameOf } from './fixtures/frame.ts';

const redactor = new BodyRedactor({ fields: [], patterns: new Set(namedPatterns), own: [], media: 'digest' }, ['known-secret-of-the-file']);

function masked(bytes: Buffer, contentType: string, size = bytes.length): Redacted {
  const out = redactor.begin(1 << 20).response({ pieces: [bytes], size, contentType });
  if (out === 'too-large') throw new Error(out);
  return out;
}

const sse = (events: readonly unknown[]): Buffer => Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));

/** The event with one piece of text in the format of each provider, and how to read it. */
const forms: Readonly<Record<string, { event(piece: string, n: number): unknown; read(event: never): string | undefined }>> = {
  chat: {
    event: (content, n) => ({
      id: 'chatcmpl-1',
      created: 1712345678,
      model: 'gpt-4o',
      system_fingerprint: 'fp_44709d6fcb',
      choices: [{ index: 0, delta: { content }, finish_reason: null }],
      obfuscation: `x${n}`,
    }),
    read: (event: { choices: { delta: { content: string } }[] }) => event.choices[0]?.delta.content,
  },
  'index behind': {
    event: (content) => ({ choices: [{ content_filter_results: {}, delta: { content }, index: 0 }] }),
    read: (event: { choices: { delta: { content: string } }[] }) => event.choices[0]?.delta.content,
  },
  'tool call': {
    event: (piece) => ({ choices: [{ index: 0, delta: { tool_calls: [{ index: 1, function: { arguments: piece } }] } }] }),
    read: (event: { choices: { delta: { tool_calls: { function: { arguments: string } }[] } }[] }) =>
      event.choices[0]?.delta.tool_calls[0]?.function.arguments,
  },
  messages: {
    event: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    read: (event: { delta: { text: string } }) => event.delta.text,
  },
  responses: {
    event: (delta, n) => ({
      type: 'response.output_text.delta',
      sequence_number: n,
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta,
    }),
    read: (event: { delta: string }) => event.delta,
  },
  gemini: {
    event: (text) => ({ candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0 }] }),
    read: (event: { candidates: { content: { parts: { text: string }[] } }[] }) => event.candidates[0]?.content.parts[0]?.text,
  },
};

/** Texts whose parts decide together, and what remains of them. */
const splitTexts: readonly (readonly [text: string, expected: string])[] = [
  ['{"user":"jo","pass":"hunter2"}', '{"user":"jo","pass":"[secret]"}'],
  ['{"password":12345678}', '{"password":[secret]}'],
  ['the password is hunter2.', 'the password is [secret].'],
  ['sshpass -p hunter2 ssh h', 'sshpass -p [secret] ssh h'],
  ['db.setPassword("hunter2")', 'db.setPassword("[secret]")'],
  ['password: |\n  abc12345\nx: 1', 'password: |\n  [secret]\nx: 1'],
  ['machine h login jo password hunter2', 'machine h login jo password [secret]'],
  ['&lt;password&gt;hunter&lt;/password&gt;', '&lt;password&gt;[secret]&lt;/password&gt;'],
  ['card ４１１１１１１１１１１１１１１１ ok', 'card [credit_card] ok'],
];

const originalText =
  'Write to jané.doe@example.com\nor "call" +49 30 1234567, card 4111 1111 1111 1111, DE89 3704 0044 0532 0130 00, key sk-abcdefghijklmnopqrstuvwxyz0123 or known-secret-of-the-file. Bye';
const maskedText = 'Write to [email]\nor "call" [phone], card [credit_card], [iban], key [secret] or [secret]. Bye';

const events = (text: string): never[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as never);

describe.each(Object.entries(forms))('an event stream in the format %s', (_, { event, read }) => {
  const joined = (bytes: Buffer): string => events(bytes.toString('utf8')).map(read).join('');

  it('hides a value that is split into two at any position', () => {
    for (let offset = 1; offset < originalText.length; offset += 1) {
      const pieces = [originalText.slice(0, offset), originalText.slice(offset)];
      expect(joined(masked(sse(pieces.map(event)), 'text/event-stream').bytes)).toBe(maskedText);
    }
  });

  it.each([1, 2, 3, 5, 8])('hides a value in pieces of %i characters', (size) => {
    const pieces = originalText.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    const { bytes } = masked(Buffer.concat([sse(pieces.map(event)), Buffer.from('data: [DONE]\n\n')]), 'text/event-stream; charset=utf-8');
    expect(joined(bytes)).toBe(maskedText);
    expect(masked(bytes, 'text/event-stream').bytes.toString()).toBe(bytes.toString());
  });

  it('shows no part of a value if the stream was truncated', () => {
    const pieces = originalText.match(/[^]{1,3}/g) ?? [];
    const stream = sse(pieces.map(event));
    for (let length = 1; length < stream.length; length += 7) {
      const text = joined(masked(stream.subarray(0, length), 'text/event-stream', stream.length).bytes);
      expect(text).not.toMatch(/jan|doe|@|4111|1234567|DE89|sk-a|known-/);
    }
  });
});

describe('event streams', () => {
  it('mask each of several choices separately', () => {
    const pieces = ['ja', 'ne@exa', 'mple.com'];
    const interleaved = pieces.flatMap((content) => [0, 1].map((index) => ({ choices: [{ index, delta: { content } }] })));
    const textOf = (bytes: Buffer, index: number): string =>
      (events(bytes.toString()) as { choices: { index: number; delta: { content: string } }[] }[])
        .filter(({ choices }) => choices[0]?.index === index)
        .map(({ choices }) => choices[0]?.delta.content)
        .join('');
    const { bytes } = masked(sse(interleaved), 'text/event-stream');
    expect([textOf(bytes, 0), textOf(bytes, 1)]).toEqual(['[email]', '[email]']);
  });

  it('mask the parts of Gemini events as one text', () => {
    const texts = [['Mail ja', 'ne@exam'], ['ple.com, 41'], ['11 1111 ', '1111', ' 11'], ['11.']];
    const parts = texts.map((pieces) => ({ candidates: [{ content: { parts: pieces.map((text) => ({ text })) } }] }));
    const { bytes } = masked(sse(parts), 'text/event-stream');
    const receivedParts = (events(bytes.toString()) as typeof parts).flatMap(({ candidates }) => candidates[0]?.content.parts ?? []);
    expect(receivedParts.map(({ text }) => text).join('')).toBe('Mail [email], [credit_card].');
  });

  it('mask a value that begins in the first event, after a byte order mark', () => {
    const { bytes } = masked(
      Buffer.concat([Buffer.from('\u{feff}'), sse([{ delta: 'jane@' }, { delta: 'example.com' }])]),
      'text/event-stream',
    );
    expect(bytes.toString()).toBe('\u{feff}data: {"delta":"[email]"}\n\ndata: {"delta":""}\n\n');
  });

  it('mask plain text events with carriage returns, comments and names', () => {
    const text = 'event: a\r\nid: 1\r\ndata: hello jane@example.com\r\n\r\n: jane@example.com\n\ndata: jane@example.com\n\n';
    expect(masked(Buffer.from(text), 'text/event-stream').bytes.toString()).not.toContain('example');
  });

  it.each(['\n', '\r\n', '\r'])('mask complete and truncated streams with line ends %j', (end) => {
    const pieces = ['Mail ja', 'ne@exam', 'ple.com, 41', '11 1111 ', '1111 11', '11.', ' Bye, wherever you', ' are.'];
    const delta = (index: number, content: string): unknown => ({ choices: [{ index, delta: { content } }] });
    const allDeltas = [...pieces.map((piece) => delta(0, piece)), delta(1, 'x')];
    const text = allDeltas.map((event) => `data: ${JSON.stringify(event)}${end}${end}`).join('');
    const textOf = (bytes: Buffer): string =>
      events(bytes.toString().replaceAll(end, '\n'))
        .map((event: { choices: { index: number; delta: { content: string } }[] }) => event.choices[0])
        .map((choice) => (choice?.index === 0 ? choice.delta.content : ''))
        .join('');
    expect(textOf(masked(Buffer.from(text), 'text/event-stream').bytes)).toBe('Mail [email], [credit_card]. Bye, wherever you are.');
    const truncatedStream = Buffer.from(`${text}data: {"choices":[{"index":0,"delta":{"content":"and jane@exa`);
    expect(textOf(masked(truncatedStream, 'text/event-stream', truncatedStream.length + 9).bytes)).toMatch(
      /^Mail \[email\], \[credit_card\]\. Bye/,
    );
  });

  it('do not change repeated IDs', () => {
    const repeated = Array.from({ length: 20 }, () => ({ id: '4111', request: 'req_5551234567', choices: [{ delta: { content: 'a' } }] }));
    expect(masked(sse(repeated), 'text/event-stream').bytes.toString()).toBe(sse(repeated).toString());
  });

  it('map the offsets of events to those after masking', () => {
    const stream = sse(['mail jane.doe@example.com ', 'and ', 'more'].map((content) => ({ choices: [{ delta: { content } }] })));
    const { bytes, moved: movedOffset } = masked(stream, 'text/event-stream');
    const offsetsOf = (bytes: Buffer): number[] => [...bytes.toString('latin1').matchAll(/data:/g)].map(({ index }) => index);
    expect(offsetsOf(stream).map(movedOffset)).toEqual(offsetsOf(bytes));
  });
});

describe.each<[string, string, (events: readonly unknown[]) => string, (text: string) => unknown[]]>([
  [
    'lines',
    'application/x-ndjson',
    (events) => events.map((event) => `${JSON.stringify(event)}\n`).join(''),
    (text) => text.split(/(?<=\n)/).map((line) => JSON.parse(line) as unknown),
  ],
  ['server-sent events with a JSON content type', 'application/json', (events) => sse(events).toString(), (text) => events(text)],
  [
    'a list',
    'application/json; charset=UTF-8',
    (events) => `[${events.map((event) => JSON.stringify(event, null, 2)).join(',\r\n')}]`,
    (text) => JSON.parse(text.endsWith(']') ? text : `${text}]`) as unknown[],
  ],
])('a stream in the format %s', (_, type, write, read) => {
  const stream = (pieces: readonly string[]): Buffer =>
    Buffer.from(write(pieces.map((text) => ({ candidates: [{ content: { parts: [{ text }] }, index: 0 }] }))));
  const joined = (bytes: Buffer): string =>
    (read(bytes.toString()) as { candidates: { content: { parts: { text: string }[] } }[] }[])
      .map(({ candidates }) => candidates[0]?.content.parts[0]?.text)
      .join('');

  it.each([1, 3, 8])('hides a value in pieces of %i characters', (size) => {
    expect(joined(masked(stream(originalText.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []), type).bytes)).toBe(maskedText);
    const cleanStream = stream(['a', ' few ', 'words']);
    expect(masked(cleanStream, type).bytes.equals(cleanStream)).toBe(true);
  });

  it('shows no part of a value if the stream was truncated', () => {
    const wholeStream = stream(originalText.match(/[^]{1,9}/g) ?? []);
    for (let length = 1; length < wholeStream.length; length += 23) {
      const { bytes } = masked(wholeStream.subarray(0, length), type, wholeStream.length);
      expect(bytes.toString()).not.toMatch(/jan|doe|@|4111|1234567|DE89|sk-a|known-/);
      if (length > 600) expect(bytes.length).toBeGreaterThan(length / 3);
    }
  });
});

it.each([
  ['a text between events', '[{"candidates":[]}, "%", {"candidates":[]}]', 'jane@example.com', '[email]'],
  ['a text after the list', '[{"candidates":[]}]\n%', 'jane@example.com', '[email]'],
  ['an incomplete event', '[{"candidates":[]},\n{"text":"%', 'jane@example.com', '[email]'],
  ['a member of an incomplete event', '[{"candidates":[]},{"api_key":"%"', 'hunter2', '[secret]'],
])('a JSON stream has text between and after complete events masked: %s', (_, text, value, expected) => {
  const { bytes } = masked(Buffer.from(text.replace('%', value)), 'application/json');
  expect(bytes.toString()).toBe(text.replace('%', expected));
});

describe('AWS event stream frames', () => {
  const payloads = (originalText.match(/[^]{1,4}/g) ?? []).map((text) => ({ contentBlockIndex: 0, delta: { text }, p: 'abcd' }));
  const converse = Buffer.concat(payloads.map((payload) => frameOf('contentBlockDelta', JSON.stringify(payload))));
  const textOf = (bytes: Buffer): string =>
    (events(bytes.toString('utf8')) as { delta: { text: string } }[]).map(({ delta }) => delta.text).join('');

  it('become server-sent events with masked text', () => {
    const { bytes, moved: movedOffset } = masked(converse, 'application/vnd.amazon.eventstream');
    expect(textOf(bytes)).toBe(maskedText);
    expect(bytes.toString().startsWith('event: contentBlockDelta\ndata: {')).toBe(true);
    expect([movedOffset(0), movedOffset(frameOf('contentBlockDelta', JSON.stringify(payloads[0])).length)]).toEqual([
      0,
      bytes.indexOf('event:', 5),
    ]);
  });

  it.each<[string, (json: string) => string]>([
    ['as AWS writes it', String],
    ['in another order', (json) => json.replace(/^\{(.*),("p":"ab")\}$/, '{ $2, $1 }')],
    ['with escapes', (json) => json.replaceAll('/', String.raw`\/`)],
  ])('are unwrapped if they contain base64, %s', (_, write) => {
    const frames = Buffer.concat(
      (originalText.match(/[^]{1,4}/g) ?? []).map((text) =>
        frameOf(
          'chunk',
          write(
            JSON.stringify({
              bytes: Buffer.from(JSON.stringify({ type: 'content_block_delta', index: 0, delta: { text } })).toString('base64'),
              p: 'ab',
            }),
          ),
        ),
      ),
    );
    expect(textOf(masked(frames, 'application/vnd.amazon.eventstream').bytes)).toBe(maskedText);
  });

  it('lose frames that are truncated or invalid', () => {
    for (let length = 0; length < converse.length; length += 11)
      expect(masked(converse.subarray(0, length), 'application/vnd.amazon.eventstream', converse.length).bytes.toString()).not.toMatch(
        /jan|4111|1234567|DE89|sk-a/,
      );
    expect(masked(Buffer.alloc(64, 0xff), 'application/vnd.amazon.eventstream').bytes.toString()).toBe('');
  });
});

describe('response bodies of other types', () => {
  it.each<[string, Buffer, string, RegExp]>([
    ['audio', Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 1]), 'audio/mpeg', /^\[media audio\/mpeg, 7 bytes, sha256 [0-9a-f]{64}\]$/],
    ['bytes without a type', Buffer.from([0, 1, 2]), '', /^\[media data, 3 bytes, sha256 [0-9a-f]{64}\]$/],
    ['bytes with a wrong content type', Buffer.from([0x1f, 0x8b, 8, 0]), 'application/json', /^\[media application\/json, 4 bytes/],
    ['text', Buffer.from('from jane@example.com'), 'text/plain', /^from \[email\]$/],
    ['lines', Buffer.from('{"a":"jane@example.com"}\n{"a":"b"}\n'), 'application/jsonl', /^\{"a":"\[email\]"\}\n\{"a":"b"\}\n$/],
    ['JSON without a type', Buffer.from('{"a":"jane@example.com"}'), '', /^\{"a":"\[email\]"\}$/],
    ['events without a type', Buffer.from('data: {"a":"jane@example.com"}\n\n'), '', /^data: \{"a":"\[email\]"\}\n\n$/],
    ['an empty body', Buffer.alloc(0), 'application/json', /^$/],
    [
      'text with a JSON content type',
      Buffer.from('No jane@example.com, call +49 30 1234567'),
      'application/json',
      /^No \[email\], call \[phone\]$/,
    ],
    [
      'text that begins with a number',
      Buffer.from('4111 1111 1111 1111 is not valid'),
      'application/json',
      /^\[credit_card\] is not valid$/,
    ],
    ['text that begins with a JSON literal', Buffer.from('null for jane@example.com'), 'application/json', /^null for \[email\]$/],
    ['text after JSON', Buffer.from('{"a":1}\nfor jane@example.com'), 'application/json', /^\{"a":1\}\nfor \[email\]$/],
    ['an HTML page', Buffer.from('<p class="x">jane@example.com</p>'), 'application/json', /^<p class="x">\[email\]<\/p>$/],
    ['single quotes', Buffer.from("{'a': ['jane@example.com', 1]}"), 'application/json', /^\{'a': \['\[email\]', 1\]\}$/],
    ['names without quotes', Buffer.from('{to: "sk-abcdefghijklmnopqrstuv"}'), 'application/json', /^\{to: "\[secret\]"\}$/],
    ['an event that is not JSON', Buffer.from('data: {"a": jane@example.com}\n\n'), 'text/event-stream', /^data: \{"a": \[email\]\}\n\n$/],
  ])('are masked: %s', (_, bytes, type, expected) => {
    expect(masked(bytes, type).bytes.toString('utf8')).toMatch(expected);
  });

  it.each([
    ['application/json', '{"a":"x","b":"mail jane.doe@exam', '{"a":"x","b":"mail [cut]'],
    ['application/json', '{"a":"x","b":"mail jane\\u0040exam', '{"a":"x","b":"mail [cut]'],
    ['application/json', '{"a":"x","b":"card 4111 1111 11', '{"a":"x","b":"card [cut]'],
    ['application/json', '{"a":"x","b":"https://user:hunter', '{"a":"x","b":"[cut]'],
    ['application/json', '{"a":"x","card":411111', '{"a":"x","card"[cut]'],
    ['application/json', '{"a":"jane@example.com","b":"jane@example.com"', '{"a":"[email]","b":"[email]"'],
    ['text/plain', 'mail jane.doe@exam', 'mail [cut]'],
    ['text/plain', 'call +49 30 12', 'call [cut]'],
    ['text/plain', 'jane@example.com and more ', '[email] and more '],
  ])('of type %s show no part of a value after truncation: %s', (type, start, maskedStart) => {
    const { bytes, isCut } = masked(Buffer.from(start), type, 1 << 20);
    expect([bytes.toString(), isCut]).toEqual([maskedStart, true]);
  });

  it.each<[type: string, kept: string, shown: string]>([
    ['text/event-stream', sse(['mail jane', '.doe@exa'].map(forms['chat']?.event ?? String)).toString(), '"mail [cut]"'],
    ['text/event-stream', sse([{ content: '4111 1111 1111 1' }]).toString(), '"content":"[cut]"'],
    ['application/json', '{"content":"mail jane.doe@exa', 'mail [cut]'],
    ['text/plain', 'mail jane.doe@exa', 'mail [cut]'],
  ])('of type %s show no part of a value if they ended too early: %s', (contentType, start, maskedStart) => {
    const pieces = [Buffer.from(start)];
    const out = redactor.begin(1 << 20).response({ pieces, size: start.length, contentType, isBroken: true }) as Redacted;
    expect(out.bytes.toString()).toContain(maskedStart);
    expect(out.isCut).toBe(false);
    expect(masked(pieces[0] as Buffer, contentType).bytes.toString()).not.toContain('[cut]');
  });

  it('of text show no part of a value beyond the size limit', () => {
    const bytes = Buffer.from(`${'x'.repeat(80)} mail jane.doe@example.com, 4111 1111 1111 1111.`);
    for (let limit = 82; limit < bytes.length; limit += 1) {
      const out = redactor.begin(limit).response({ pieces: [bytes], size: bytes.length, contentType: 'text/plain' });
      expect(String((out as Redacted).bytes)).not.toMatch(/jan|doe|@|4111/);
    }
  });

  it.each(Object.entries(forms).flatMap(([name, form]) => splitTexts.map((texts) => ({ name, form, texts }))))(
    'finds secrets that are split at any place: $name, $texts',
    ({ form, texts: [text, expected] }) => {
      for (let at = 1; at < text.length; at += 1) {
        const events = [text.slice(0, at), text.slice(at), ''].map((piece, n) => form.event(piece, n));
        const out = String(masked(sse(events), 'text/event-stream').bytes);
        const pieces = out
          .split('\n\n')
          .filter((line) => line !== '')
          .map((line) => form.read(JSON.parse(line.slice(6)) as never) ?? '');
        expect(pieces.join('')).toBe(expected);
      }
    },
  );
});
