import type { Dialect } from '../../src/core/dialect.ts';
import type { CommonSettings, Provider } from '../../src/core/provider.ts';
import { JsonBody } from '../../src/core/json/body.ts';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import bedrock from '../../plugins/providers/bedrock/index.ts';
import gemini from '../../plugins/providers/gemini/index.ts';
import openai from '../../plugins/providers/openai/index.ts';
import { messagesDialect } from '../../src/formats/anthropic-messages/client.ts';
import { openaiDialect } from '../../src/formats/openai-chat/client.ts';
import { throughHub } from '../../src/formats/through-hub/index.ts';
import { begin, callOf } from '../contract/call.ts';
import type { Json } from './assembled.ts';

/** A client that moves between services, and stores each response as it gets it. */
export interface Client {
  readonly name: string;
  readonly endpoint: 'chat/completions' | 'messages';
  readonly strict: boolean;
}

export const clients: readonly Client[] = [
  { name: 'a chat client', endpoint: 'chat/completions', strict: true },
  { name: 'a chat client without strict compliance', endpoint: 'chat/completions', strict: false },
  { name: 'a client of the messages API', endpoint: 'messages', strict: true },
];

interface Service {
  readonly provider: Provider;
  readonly model: string;
  readonly settings?: CommonSettings & Json;
  /** A whole response with this content. */
  whole(content: unknown): Json;
}

/** The services that respond, by the format of their responses. */
const services: Readonly<Record<string, Service>> = {
  claude: {
    provider: anthropic,
    model: 'claude-sonnet-4-5',
    whole: (content) => ({ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'end_turn', usage: {} }),
  },
  gemini: {
    provider: gemini,
    model: 'gemini-3-pro-preview',
    whole: (parts) => ({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }], responseId: 'r' }),
  },
  converse: {
    provider: bedrock,
    model: 'amazon.nova-pro-v1:0',
    settings: { region: 'us-east-1' },
    whole: (content) => ({ output: { message: { role: 'assistant', content } }, stopReason: 'end_turn', usage: {} }),
  },
  chat: {
    provider: openai,
    model: 'gpt-5',
    whole: (message) => ({
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', ...(message as Json) }, finish_reason: 'stop' }],
    }),
  },
};

/** The message that a client stores for a response of a service. */
export function storedMessage(format: string, content: unknown, { endpoint, strict }: Client, id: string): Json {
  const service = services[format];
  if (service === undefined) throw new Error(`no service ${format}`);
  const { model, settings } = service;
  const call = callOf({ endpoint, model, strict, id, settings: settings ?? {} });
  const text = JSON.stringify(service.whole(content));
  const request = JsonBody.of({ model, max_tokens: 9000, messages: [{ role: 'user', content: 'Hi' }] });
  const translation = begin(throughHub(service.provider), call, request);
  const dialect: Dialect = endpoint === 'messages' ? messagesDialect : openaiDialect;
  const answer =
    translation.result === undefined
      ? text
      : dialect.answer?.(translation.result(text), { strict, includeUsage: false, provider: 'p', model, id, createdAt: 1 });
  const response = JSON.parse(answer ?? '') as Json;
  if (endpoint === 'messages') return { role: 'assistant', content: response['content'] };
  return (response['choices'] as { message: Json }[])[0]?.message ?? {};
}

const callIds = ({ content, tool_calls: calls }: Json): readonly unknown[] =>
  [...((calls ?? []) as Json[]), ...(Array.isArray(content) ? (content as Json[]).filter(({ type }) => type === 'tool_use') : [])].map(
    ({ id }) => id,
  );

/** The results of all calls of a message, for chat clients in reverse order, with a text of the user after them. */
export function afterCalls(message: Json, { endpoint }: Client, text: string): readonly Json[] {
  const user = { role: 'user', content: text };
  const results = callIds(message).map((id, at) => ({ id, content: `result-${text}${at}.` }));
  if (results.length === 0) return [user];
  if (endpoint !== 'messages')
    return [...results.map(({ id, content }) => ({ role: 'tool', tool_call_id: id, content })).toReversed(), user];
  const blocks = results.map(({ id, content }) => ({ type: 'tool_result', tool_use_id: id, content }));
  return [{ role: 'user', content: [...blocks, { type: 'text', text }] }];
}
