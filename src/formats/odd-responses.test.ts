import { describe, expect, it, vi } from 'vitest';
import type { ModelEvent, WireEvent } from '../core/events.ts';
import type { StreamTransform } from '../core/stream.ts';
import type { Tap } from '../core/tap.ts';
import { messagesDialect } from './anthropic-messages/client.ts';
import { MessagesStream } from './anthropic-messages/response/stream.ts';
import { MessagesTap } from './anthropic-messages/response/tap.ts';
import { wholeMessage } from './anthropic-messages/to-client/index.ts';
import { ConverseStream } from './bedrock-converse/response/stream.ts';
import { ConverseTap } from './bedrock-converse/response/tap.ts';
import { fromGenerateContent } from './google-generate/response/result.ts';
import { GenerateContentStream } from './google-generate/response/stream.ts';
import { GeminiTap } from './google-generate/response/tap.ts';
import { openaiDialect } from './openai-chat/client.ts';
import { ChatReader } from './openai-chat/reader/chunks.ts';
import { ChatTap } from './openai-chat/tap.ts';

const call = { model: 'm', strict: false, id: 'req_1', createdAt: 1, includeUsage: true, provider: 'p' };

interface Format {
  readonly reader: () => StreamTransform<WireEvent, ModelEvent>;
  readonly tap: () => Tap;
  /** The events of a stream with the text `Hi`; `index` and the counts are JSON. */
  readonly stream: (index: string, count: string) => readonly (readonly [name: string, data: string])[];
}

const formats: Readonly<Record<string, Format>> = {
  chat: {
    reader: () => new ChatReader(),
    tap: () => new ChatTap(),
    stream: (index, count) => [
      ['', `{"choices":[{"index":${index},"delta":{"content_blocks":[{"index":${index},"delta":{"text":"Hi"}}]}}]}`],
      ['', `{"choices":[{"index":${index},"delta":{},"finish_reason":"stop"}]}`],
      ['', `{"choices":[],"usage":{"prompt_tokens":${count},"completion_tokens":${count}}}`],
      ['', '[DONE]'],
    ],
  },
  messages: {
    reader: () => new MessagesStream(call),
    tap: () => new MessagesTap(),
    stream: (index, count) => [
      ['message_start', `{"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":${count}}}}`],
      ['content_block_start', `{"type":"content_block_start","index":${index},"content_block":{"type":"text","text":""}}`],
      ['content_block_delta', `{"type":"content_block_delta","index":${index},"delta":{"type":"text_delta","text":"Hi"}}`],
      ['content_block_stop', `{"type":"content_block_stop","index":${index}}`],
      ['message_delta', `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":${count}}}`],
      ['message_stop', '{"type":"message_stop"}'],
    ],
  },
  generateContent: {
    reader: () => new GenerateContentStream(call),
    tap: () => new GeminiTap(),
    stream: (index, count) => [
      ['', `{"candidates":[{"index":${index},"content":{"parts":[{"text":"Hi"}]}}]}`],
      [
        '',
        `{"candidates":[{"index":${index},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":${count},"candidatesTokenCount":${count}}}`,
      ],
    ],
  },
  Converse: {
    reader: () => new ConverseStream(call),
    tap: () => new ConverseTap(),
    stream: (index, count) => [
      ['messageStart', '{"role":"assistant"}'],
      ['contentBlockDelta', `{"contentBlockIndex":${index},"delta":{"text":"Hi"}}`],
      ['contentBlockStop', `{"contentBlockIndex":${index}}`],
      ['messageStop', '{"stopReason":"end_turn"}'],
      ['metadata', `{"usage":{"inputTokens":${count},"outputTokens":${count}}}`],
    ],
  },
};

const clients = { chat: openaiDialect, messages: messagesDialect } as const;

/** Returns the data of the events that a client gets. */
function written(format: Format, client: keyof typeof clients, index: string, count = '1'): readonly Record<string, unknown>[] {
  const [reader, writer] = [format.reader(), clients[client].write?.(call)];
  const events = [...format.stream(index, count).flatMap(([name, data]) => [...reader.push({ name, data })]), ...reader.end()];
  const text = [...events.flatMap((event) => [...(writer?.push(event) ?? [])]), ...(writer?.end() ?? [])].join('');
  expect(writer?.failure).toBeUndefined();
  return [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data = '']) => (data === '[DONE]' ? [] : [JSON.parse(data)]));
}

const cases = Object.entries(formats).flatMap(([name, format]) => [[name, 'chat', format] as const, [name, 'messages', format] as const]);

describe.each(cases)('a stream of %s for clients of %s', (_name, client, format) => {
  it.each(['1e999', '-1', '0.5', '"0"', 'null'])('has an index that is not one: %s', (index) => {
    const text = JSON.stringify(written(format, client, index));
    expect(text).toContain('"Hi"');
    expect(text).not.toMatch(/"index":(?:null|-|\d+\.)/);
  });

  it.each([
    ['1e308', 1e13, 2e13],
    ['1.6', 2, 4],
    ['-1', 0, 0],
    ['"7"', 0, 0],
  ])('reports %s tokens', (count, expected, total) => {
    const usage = written(format, client, '0', count).findLast((event) => 'usage' in event)?.['usage'];
    const reported =
      client === 'chat'
        ? { prompt_tokens: expected, completion_tokens: expected, total_tokens: total }
        : { input_tokens: expected, output_tokens: expected };
    if (usage !== undefined || expected !== 0) expect(usage).toMatchObject(reported);
  });
});

it.each(Object.entries(formats))('blank events of %s are ignored without parsing them', (_name, { reader, tap }) => {
  const parse = vi.spyOn(JSON, 'parse');
  const [stream, observer] = [reader(), tap()];
  for (const data of ['', ' ', ' \t ']) {
    expect(observer.event({ name: '', data })).toBe('meta');
    expect(stream.push({ name: '', data })).toEqual([]);
  }
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
});

it.each(['1', '7', '1e999'])('a message has the only choice, whatever its index: %s', (index) => {
  const message = { content: [{ type: 'text', text: 'Hi' }], stop_reason: 'max_tokens' };
  const completion = { choices: [{ index: Number(index), message: { content: 'Hi' }, finish_reason: 'length' }] };
  expect(wholeMessage(completion, call)).toMatchObject(message);
  const answer = `{"candidates":[{"index":${index},"content":{"parts":[{"text":"Hi"}]},"finishReason":"MAX_TOKENS"}]}`;
  expect(wholeMessage(fromGenerateContent(answer, call), call)).toMatchObject(message);
  const events = written({ ...(formats['chat'] as Format) }, 'messages', index);
  expect(JSON.stringify(events)).toContain('"Hi"');
});
