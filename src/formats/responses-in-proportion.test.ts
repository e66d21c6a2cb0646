import { expect, it } from 'vitest';
import type { ModelEvent, WireEvent } from '../core/events.ts';
import type { StreamTransform } from '../core/stream.ts';
import type { Tap } from '../core/tap.ts';
import { MessageEvents } from './anthropic-messages/to-client/events.ts';
import { MessagesStream } from './anthropic-messages/response/stream.ts';
import { ThoughtNotes } from './anthropic-messages/response/thoughts.ts';
import { ConverseReader } from './bedrock-converse/response/reader.ts';
import { annotationsOf } from './google-generate/response/annotations.ts';
import { GenerateContentStream } from './google-generate/response/stream.ts';
import { GeminiTap } from './google-generate/response/tap.ts';
import { openaiDialect } from './openai-chat/client.ts';
import { ChatReader } from './openai-chat/reader/chunks.ts';
import { ChatTap } from './openai-chat/tap.ts';

const wire = (data: object, name = ''): WireEvent => ({ name, data: JSON.stringify(data) });
const call = { model: 'm', strict: false, id: 'req_1', createdAt: 1, includeUsage: false, provider: 'p' };
const words = 'a few words '.repeat(100);

/** A quadratic algorithm would need minutes for this many. */
const many = 70_000;
const chatChoice = (index: number): WireEvent => wire({ choices: [{ index, delta: { content: 'a' }, finish_reason: 'stop' }] });
const candidate = (index: number): WireEvent =>
  wire({ candidates: [{ index, content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }] });

it.each<[string, () => Tap, (index: number) => WireEvent]>([
  ['chat completions', () => new ChatTap(), chatChoice],
  ['generateContent', () => new GeminiTap(), candidate],
])('a tap reads a stream with very many choices in linear time: %s', (_name, make, event) => {
  const tap = make();
  for (let index = 0; index < many; index += 1) tap.event(event(index));
  expect(tap.complete).toBe(true);
  expect(tap.finish?.length).toBe(65_536);
});

it('a stream with new usage fields in each event is read and converted in linear time', () => {
  const [tap, stream] = [new GeminiTap(), new GenerateContentStream(call)];
  for (let at = 0; at < 20_000; at += 1) {
    const event = wire({ ...JSON.parse(candidate(0).data), usageMetadata: { [`count ${at}`]: 1, promptTokenCount: at } });
    tap.event(event);
    stream.push(event);
  }
  expect(tap.usage).toEqual({ prompt: 19_999, completion: 0 });
  expect(stream.end().at(-1)).toEqual({ type: 'usage', usage: { prompt: 19_999, completion: 0 } });
});

it('the writer handles very many choices in linear time', () => {
  const writer = openaiDialect.write?.(call);
  for (let choice = 0; choice < many; choice += 1) writer?.push({ type: 'finish', choice, reason: 'stop' });
  expect(writer?.end()).toEqual(['data: [DONE]\n\n']);
});

it('GenerateContentStream converts very many candidates in linear time', () => {
  const stream = new GenerateContentStream({ ...call, strict: true });
  for (let index = 0; index < many; index += 1) stream.push(candidate(index));
  expect(stream.end().filter(({ type }) => type === 'finish')).toHaveLength(many);
});

it('annotationsOf locates very many annotations of a long text in linear time', () => {
  const groundingSupports = Array.from({ length: 20_000 }, () => ({ segment: { endIndex: 1_000_000 }, groundingChunkIndices: [0] }));
  const found = annotationsOf({ groundingChunks: [{ web: { uri: 'u' } }], groundingSupports }, ['é'.repeat(1_000_000)]);
  expect(found.at(-1)?.url_citation).toMatchObject({ start_index: 0, end_index: 500_000 });
});

it.each([
  ['aé€😀b', [0, 1, 3, 6, 10, 11, 99, -1, '2'], [0, 1, 2, 3, 5, 6, 6, 0, 0]],
  ['é'.repeat(3000), [1024, 2048, 4100, 6000], [512, 1024, 2050, 3000]],
])('annotationsOf converts byte offsets to character offsets: %#', (text, ends, characters) => {
  const groundingSupports = ends.map((endIndex) => ({ segment: { endIndex }, groundingChunkIndices: [0] }));
  const found = annotationsOf({ groundingChunks: [{ web: { uri: 'u' } }], groundingSupports }, [text]);
  expect(found.map((one) => one.url_citation.end_index)).toEqual(characters);
});

it('a source that is cited for very many segments causes an error before memory runs out', () => {
  const grounding = {
    groundingChunks: [{ web: { uri: 'u'.repeat(1_000_000) } }],
    groundingSupports: [{ segment: {}, groundingChunkIndices: Array.from({ length: 10_000 }, () => 0) }],
  };
  expect(() => annotationsOf(grounding, ['a'])).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
});

const openaiDelta = (delta: object): WireEvent => wire({ choices: [{ index: 0, delta }] });
const messagesDelta = (delta: object): WireEvent => wire({ type: 'content_block_delta', index: 0, delta }, 'content_block_delta');
const block = (index: number, content_block: object): WireEvent =>
  wire({ type: 'content_block_start', index, content_block }, 'content_block_start');
const geminiParts = (parts: readonly object[], more: object = {}): WireEvent =>
  wire({ candidates: [{ index: 0, content: { parts }, ...more }] });
const each = <T>(make: (index: number) => T): T[] => Array.from({ length: 500 }, (_, index) => make(index));

type Reader = Pick<StreamTransform<WireEvent, ModelEvent>, 'push'>;
const converse = (): Reader => {
  const reader = new ConverseReader(call);
  return { push: ({ name, data }) => reader.event(name, JSON.parse(data) as Record<string, unknown>) };
};
const messages = (): Reader => {
  const stream = new MessagesStream(call);
  return { push: ({ data }) => (JSON.parse(data) as { blocks: WireEvent[] }).blocks.flatMap((event) => stream.push(event)) };
};
const loose = (): Reader => new GenerateContentStream(call);
const twoPart = (): Reader => new GenerateContentStream({ ...call, strict: true, model: 'gemini-2.0-flash-thinking-exp' });

/** State that a conversion stores although the stream may never end. */
const endless: readonly [string, () => Reader, (at: number) => WireEvent][] = [
  ['annotations of a chat completion', () => new ChatReader(), () => openaiDelta({ annotations: [{ words }] })],
  ['calls of a chat completion', () => new ChatReader(), (index) => openaiDelta({ tool_calls: [{ index, id: words, function: {} }] })],
  [
    'encrypted reasoning after the text of a chat completion',
    () => new ChatReader(),
    () => openaiDelta({ content: 'x', reasoning_details: [{ type: 'reasoning.encrypted', data: words }] }),
  ],
  [
    'choices of a chat completion',
    () => new ChatReader(),
    (at) => wire({ choices: each((index) => ({ index: at * 500 + index, delta: {} })) }),
  ],
  ['blocks of a message', messages, (at) => wire({ blocks: each((index) => block(at * 500 + index, { type: 'text', text: '' })) })],
  [
    'citations of a message',
    () => new MessagesStream(call),
    (at) => (at === 0 ? block(0, { type: 'text', text: '' }) : messagesDelta({ type: 'citations_delta', citation: { words } })),
  ],
  [
    'input of a server tool of a message',
    () => new MessagesStream(call),
    (at) =>
      at === 0
        ? block(0, { type: 'server_tool_use', id: 'a', name: 'web_search' })
        : messagesDelta({ type: 'input_json_delta', partial_json: words }),
  ],
  ['candidates', loose, (at) => wire({ candidates: each((index) => ({ index: at * 500 + index })) })],
  ['texts of a candidate, for its annotations', loose, () => geminiParts([{ text: words }])],
  ['calls of a candidate', loose, () => geminiParts(each(() => ({ functionCall: { name: 'f' } })))],
  ['citations of a candidate', loose, (at) => geminiParts([], { citationMetadata: { citations: [{ uri: `${words}${at}` }] } })],
  ['text that may be thinking', twoPart, () => geminiParts([{ text: words }])],
  [
    'citations of Converse',
    converse,
    () => wire({ delta: { citation: { title: words, location: { web: { url: 'u' } } } } }, 'contentBlockDelta'),
  ],
  [
    'encrypted reasoning of Converse',
    converse,
    () => wire({ delta: { reasoningContent: { redactedContent: words } } }, 'contentBlockDelta'),
  ],
  [
    'calls of Converse',
    () => {
      const reader = converse();
      return { push: (event) => each(() => [...reader.push(event)]).flat() };
    },
    (at) => wire({ contentBlockIndex: at, start: { toolUse: { toolUseId: 'a', name: 'f' } } }, 'contentBlockStart'),
  ],
];

it.each(endless)('a reader limits the state it stores: %s', (_name, make, event) => {
  const reader = make();
  let at = 0;
  expect(() => {
    for (; at < 20_000; at += 1) reader.push(event(at));
  }).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
  expect(at).toBeGreaterThan(100);
});

it.each<[string, () => Reader, (at: number) => WireEvent]>([
  ['of a candidate', loose, (at) => geminiParts([{ text: 'a' }], { [`member ${at}`]: at })],
  ['of reasoning', () => new ChatReader(), (at) => openaiDelta({ reasoning_details: [{ text: 'a', [`member ${at}`]: at }] })],
])('a reader converts new members in each event in linear time: %s', (_name, make, event) => {
  const reader = make();
  for (let at = 0; at < 30_000; at += 1) reader.push(event(at));
  expect([...reader.push(event(30_000))].map(({ type }) => type)).not.toContain('error');
});

it('new members of a candidate are written for the messages API in linear time', () => {
  const [reader, out] = [loose(), new MessageEvents({ id: 'r', model: 'm' })];
  for (let at = 0; at < 30_000; at += 1)
    for (const event of reader.push(geminiParts([{ text: 'a' }], { [`member ${at}`]: at }))) out.push(event);
  expect(out.isFinished).toBe(false);
});

it('new members without content are written in linear time', () => {
  const writer = openaiDialect.write?.(call);
  let written = 0;
  for (let at = 0; at < 30_000; at += 1)
    for (const text of writer?.push({ type: 'extra', choice: 0, fields: { [`member ${at}`]: at }, strict: false }) ?? [])
      written += text.length;
  expect(written).toBeGreaterThan(100_000);
});

it('ThoughtNotes forgets thinking that is followed by very many empty texts', () => {
  const notes = new ThoughtNotes();
  notes.begin(0, { type: 'thinking', thinking: 'a', signature: 's' });
  for (let at = 1; at < 10_000; at += 1) notes.begin(at, { type: 'text', text: '' });
  expect(notes.begin(10_000, { type: 'tool_use', id: 'call_1' })).toBeUndefined();
});
