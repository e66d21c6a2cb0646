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
const longText = 'a few words '.repeat(100);

/** A quadratic algorithm would need minutes for this many. */
const manyChoices = 70_000;
const chatChoice = (index: number): WireEvent => wire({ choices: [{ index, delta: { content: 'a' }, finish_reason: 'stop' }] });
const candidate = (index: number): WireEvent =>
  wire({ candidates: [{ index, content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }] });

it.each<[string, () => Tap, (index: number) => WireEvent]>([
  ['chat completions', () => new ChatTap(), chatChoice],
  ['generateContent', () => new GeminiTap(), candidate],
])('a tap reads a stream with very many choices in linear time: %s', (_name, createReader, event) => {
  const tap = createReader();
  for (let index = 0; index < manyChoices; index += 1) tap.event(event(index));
  expect(tap.complete).toBe(true);
  expect(tap.finish?.length).toBe(65_536);
});

it('very many candidates of one event are read and converted in linear time', () => {
  const event = { name: '', data: `{"candidates":[${'{},'.repeat(300_000)}{"finishReason":"STOP"}]}` };
  expect(new GeminiTap().event(event)).toBe('content');
  expect(() => new GenerateContentStream({ ...call, strict: true }).push(event)).toThrow('larger than the gateway can convert');
});

it('a stream with new usage fields in each event is read and converted in linear time', () => {
  const [tap, stream] = [new GeminiTap(), new GenerateContentStream(call)];
  for (let eventIndex = 0; eventIndex < 20_000; eventIndex += 1) {
    const event = wire({ ...JSON.parse(candidate(0).data), usageMetadata: { [`count ${eventIndex}`]: 1, promptTokenCount: eventIndex } });
    tap.event(event);
    stream.push(event);
  }
  expect(tap.usage).toEqual({ prompt: 19_999, completion: 0 });
  expect(stream.end().at(-1)).toEqual({ type: 'usage', usage: { prompt: 19_999, completion: 0 } });
});

it('the writer handles very many choices in linear time', () => {
  const writer = openaiDialect.write?.(call);
  for (let choice = 0; choice < manyChoices; choice += 1) writer?.push({ type: 'finish', choice, reason: 'stop' });
  expect(writer?.end()).toEqual(['data: [DONE]\n\n']);
});

it('GenerateContentStream converts very many candidates in linear time', () => {
  const stream = new GenerateContentStream({ ...call, strict: true });
  for (let index = 0; index < manyChoices; index += 1) stream.push(candidate(index));
  expect(stream.end().filter(({ type }) => type === 'finish')).toHaveLength(manyChoices);
});

it('annotationsOf locates very many annotations of a long text in linear time', () => {
  const groundingSupports = Array.from({ length: 20_000 }, () => ({ segment: { endIndex: 1_000_000 }, groundingChunkIndices: [0] }));
  const annotations = annotationsOf({ groundingChunks: [{ web: { uri: 'u' } }], groundingSupports }, ['é'.repeat(1_000_000)]);
  expect(annotations.at(-1)?.url_citation).toMatchObject({ start_index: 0, end_index: 500_000 });
});

it.each([
  ['aé€😀b', [0, 1, 3, 6, 10, 11, 99, -1, '2'], [0, 1, 2, 3, 5, 6, 6, 0, 0]],
  ['é'.repeat(3000), [1024, 2048, 4100, 6000], [512, 1024, 2050, 3000]],
])('annotationsOf converts byte offsets to character offsets: %#', (text, ends, characters) => {
  const groundingSupports = ends.map((endIndex) => ({ segment: { endIndex }, groundingChunkIndices: [0] }));
  const annotations = annotationsOf({ groundingChunks: [{ web: { uri: 'u' } }], groundingSupports }, [text]);
  expect(annotations.map((annotation) => annotation.url_citation.end_index)).toEqual(characters);
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
const geminiParts = (parts: readonly object[], extra: object = {}): WireEvent =>
  wire({ candidates: [{ index: 0, content: { parts }, ...extra }] });
const repeat = <T>(create: (index: number) => T): T[] => Array.from({ length: 500 }, (_, index) => create(index));

type Reader = Pick<StreamTransform<WireEvent, ModelEvent>, 'push'>;
const converse = (): Reader => {
  const reader = new ConverseReader(call);
  return { push: ({ name, data }) => reader.event(name, JSON.parse(data) as Record<string, unknown>) };
};
const messages = (): Reader => {
  const stream = new MessagesStream(call);
  return { push: ({ data }) => (JSON.parse(data) as { blocks: WireEvent[] }).blocks.flatMap((event) => stream.push(event)) };
};
const looseReader = (): Reader => new GenerateContentStream(call);
const twoPartReader = (): Reader => new GenerateContentStream({ ...call, strict: true, model: 'gemini-2.0-flash-thinking-exp' });

/** State that a conversion stores although the stream may never end. */
const endlessStreams: readonly [string, () => Reader, (eventIndex: number) => WireEvent][] = [
  ['annotations of a chat completion', () => new ChatReader(), () => openaiDelta({ annotations: [{ words: longText }] })],
  ['calls of a chat completion', () => new ChatReader(), (index) => openaiDelta({ tool_calls: [{ index, id: longText, function: {} }] })],
  [
    'encrypted reasoning after the text of a chat completion',
    () => new ChatReader(),
    () => openaiDelta({ content: 'x', reasoning_details: [{ type: 'reasoning.encrypted', data: longText }] }),
  ],
  [
    'choices of a chat completion',
    () => new ChatReader(),
    (eventIndex) => wire({ choices: repeat((index) => ({ index: eventIndex * 500 + index, delta: {} })) }),
  ],
  [
    'blocks of a message',
    messages,
    (eventIndex) => wire({ blocks: repeat((index) => block(eventIndex * 500 + index, { type: 'text', text: '' })) }),
  ],
  [
    'citations of a message',
    () => new MessagesStream(call),
    (eventIndex) =>
      eventIndex === 0 ? block(0, { type: 'text', text: '' }) : messagesDelta({ type: 'citations_delta', citation: { words: longText } }),
  ],
  [
    'input of a server tool of a message',
    () => new MessagesStream(call),
    (eventIndex) =>
      eventIndex === 0
        ? block(0, { type: 'server_tool_use', id: 'a', name: 'web_search' })
        : messagesDelta({ type: 'input_json_delta', partial_json: longText }),
  ],
  ['candidates', looseReader, (eventIndex) => wire({ candidates: repeat((index) => ({ index: eventIndex * 500 + index })) })],
  ['texts of a candidate, for its annotations', looseReader, () => geminiParts([{ text: longText }])],
  ['calls of a candidate', looseReader, () => geminiParts(repeat(() => ({ functionCall: { name: 'f' } })))],
  [
    'citations of a candidate',
    looseReader,
    (eventIndex) => geminiParts([], { citationMetadata: { citations: [{ uri: `${longText}${eventIndex}` }] } }),
  ],
  ['text that may be thinking', twoPartReader, () => geminiParts([{ text: longText }])],
  [
    'citations of Converse',
    converse,
    () => wire({ delta: { citation: { title: longText, location: { web: { url: 'u' } } } } }, 'contentBlockDelta'),
  ],
  [
    'encrypted reasoning of Converse',
    converse,
    () => wire({ delta: { reasoningContent: { redactedContent: longText } } }, 'contentBlockDelta'),
  ],
  [
    'calls of Converse',
    () => {
      const reader = converse();
      return { push: (event) => repeat(() => [...reader.push(event)]).flat() };
    },
    (eventIndex) => wire({ contentBlockIndex: eventIndex, start: { toolUse: { toolUseId: 'a', name: 'f' } } }, 'contentBlockStart'),
  ],
];

it.each(endlessStreams)('a reader limits the state it stores: %s', (_name, createReader, event) => {
  const reader = createReader();
  let eventIndex = 0;
  expect(() => {
    for (; eventIndex < 20_000; eventIndex += 1) reader.push(event(eventIndex));
  }).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
  expect(eventIndex).toBeGreaterThan(100);
});

it.each<[string, () => Reader, (eventIndex: number) => WireEvent]>([
  ['of a candidate', looseReader, (eventIndex) => geminiParts([{ text: 'a' }], { [`member ${eventIndex}`]: eventIndex })],
  [
    'of reasoning',
    () => new ChatReader(),
    (eventIndex) => openaiDelta({ reasoning_details: [{ text: 'a', [`member ${eventIndex}`]: eventIndex }] }),
  ],
])('a reader converts new members in each event in linear time: %s', (_name, createReader, event) => {
  const reader = createReader();
  for (let eventIndex = 0; eventIndex < 30_000; eventIndex += 1) reader.push(event(eventIndex));
  expect([...reader.push(event(30_000))].map(({ type }) => type)).not.toContain('error');
});

it('new members of a candidate are written for the messages API in linear time', () => {
  const [reader, writer] = [looseReader(), new MessageEvents({ id: 'r', model: 'm' })];
  for (let eventIndex = 0; eventIndex < 30_000; eventIndex += 1)
    for (const event of reader.push(geminiParts([{ text: 'a' }], { [`member ${eventIndex}`]: eventIndex }))) writer.push(event);
  expect(writer.isFinished).toBe(false);
});

it('new members without content are written in linear time', () => {
  const writer = openaiDialect.write?.(call);
  let textLength = 0;
  for (let eventIndex = 0; eventIndex < 30_000; eventIndex += 1)
    for (const text of writer?.push({ type: 'extra', choice: 0, fields: { [`member ${eventIndex}`]: eventIndex }, strict: false }) ?? [])
      textLength += text.length;
  expect(textLength).toBeGreaterThan(100_000);
});

it('ThoughtNotes forgets thinking that is followed by very many empty texts', () => {
  const notes = new ThoughtNotes();
  notes.begin(0, { type: 'thinking', thinking: 'a', signature: 's' });
  for (let eventIndex = 1; eventIndex < 10_000; eventIndex += 1) notes.begin(eventIndex, { type: 'text', text: '' });
  expect(notes.begin(10_000, { type: 'tool_use', id: 'call_1' })).toBeUndefined();
});
