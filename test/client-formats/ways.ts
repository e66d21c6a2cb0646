import type { Dialect, DialectCall } from '../../src/core/dialect.ts';
import type { ModelEvent, WireEvent } from '../../src/core/events.ts';
import type { StreamTransform } from '../../src/core/stream.ts';
import { messagesDialect } from '../../src/formats/anthropic-messages/client.ts';
import { fromMessage } from '../../src/formats/anthropic-messages/response/result.ts';
import { MessagesStream } from '../../src/formats/anthropic-messages/response/stream.ts';
import { ConverseStream } from '../../src/formats/bedrock-converse/response/stream.ts';
import { fromConverse } from '../../src/formats/bedrock-converse/response/whole.ts';
import { fromGenerateContent } from '../../src/formats/google-generate/response/result.ts';
import { GenerateContentStream } from '../../src/formats/google-generate/response/stream.ts';
import { ChatReader } from '../../src/formats/openai-chat/reader/chunks.ts';
import { echoedFields } from '../../src/formats/openai-responses/to-hub/params.ts';
import { AwsFrameScanner } from '../../src/transport/outbound/framing/aws-frames.ts';
import { SseScanner } from '../../src/transport/outbound/framing/sse.ts';
import { callOf } from '../contract/call.ts';
import type { Json } from '../contract/gemini-oracle.ts';
import type { Recording } from '../contract/recordings.ts';
import { contentForms, messageForms } from '../convert/stream-and-whole.ts';
import { completionOf } from './content.ts';

/** A provider's format on its way to a client of another format. */
export interface Way {
  readonly format: string;
  /** Server-sent events unless it says otherwise. */
  readonly scanner?: () => Pick<SseScanner, 'push' | 'end'>;
  readonly reader: () => StreamTransform<WireEvent, ModelEvent>;
  /** A whole answer as the hub has it. */
  readonly completion: (text: string) => Json;
  /** Both forms of a recorded answer; a form that nobody recorded is made by the rules of the format. */
  readonly forms: (exchange: Recording) => { readonly whole: string; readonly stream: string | undefined };
}

const call = callOf({ strict: false, includeUsage: true, id: 'req_1' });
const echo = echoedFields({});
const dialectCall: DialectCall = { strict: false, includeUsage: true, provider: 'p', model: 'm', id: 'req_1', createdAt: 1, echo };

const openaiChat: Way = {
  format: 'openai-chat',
  reader: () => new ChatReader(),
  completion: (text) => JSON.parse(text) as Json,
  forms: ({ stream, response }) =>
    stream
      ? { whole: JSON.stringify(completionOf(response.body ?? '')), stream: response.body ?? '' }
      : { whole: response.body ?? '', stream: undefined },
};

const googleGenerate: Way = {
  format: 'google-generate',
  reader: () => new GenerateContentStream(call),
  completion: (text) => fromGenerateContent(text, call),
  forms: ({ response, stream }) => contentForms(response.body ?? '', stream),
};

const anthropicMessages: Way = {
  format: 'anthropic-messages',
  reader: () => new MessagesStream(call),
  completion: (text) => fromMessage(text, call),
  forms: ({ response, stream }) => messageForms(response.body ?? '', stream),
};

export const bedrockConverse: Way = {
  format: 'bedrock-converse',
  scanner: () => new AwsFrameScanner(),
  reader: () => new ConverseStream(call),
  completion: (text) => fromConverse(text, call) as Json,
  forms: ({ response }) => ({ whole: response.body ?? '', stream: undefined }),
};

export const wayOf = (exchange: Recording): Way =>
  exchange.api === 'messages' ? anthropicMessages : exchange.api === 'chat.completions' ? openaiChat : googleGenerate;

/** A whole answer of the provider in a client's format, by default as a message. */
export const wholeOf = (way: Way, text: string, dialect: Dialect = messagesDialect): Json =>
  JSON.parse(dialect.answer?.(way.completion(text), dialectCall) ?? '') as Json;

/** A stream of the provider, cut into pieces of a size, as text of a stream in a client's format, by default of messages. */
export function streamOf(way: Way, text: string | Buffer, size: number, dialect: Dialect = messagesDialect): string {
  const scanner = way.scanner?.() ?? new SseScanner();
  const read = way.reader();
  const write = dialect.write?.(dialectCall);
  if (write === undefined) throw new Error('nothing writes');
  const out: string[] = [];
  const take = (events: readonly WireEvent[]): void => {
    for (const event of events) for (const model of read.push(event)) out.push(...write.push(model));
  };
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; at += Math.min(size, bytes.length))
    take(scanner.push(bytes.subarray(at, at + Math.min(size, bytes.length))).events);
  take(scanner.end().events);
  for (const model of read.end()) out.push(...write.push(model));
  return out.concat(...write.end()).join('');
}
