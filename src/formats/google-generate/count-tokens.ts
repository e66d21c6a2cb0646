import { GatewayError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json/merge.ts';
import type { Dropped } from '../../core/provider.ts';
import { objectOf, parseObject } from '../shared/json.ts';

/** Limits a chat completions body to what this service counts. */
export function countableChat({ messages, tools, response_format: format }: JsonObject): {
  readonly body: JsonObject;
  readonly dropped: readonly Dropped[];
} {
  const hasSchema = objectOf(format)['type'] === 'json_schema';
  return {
    body: { messages, ...(tools === undefined ? {} : { tools }) },
    dropped: hasSchema ? [{ param: 'response_format', reason: 'not counted by this service' }] : [],
  };
}

/** Selects the fields that `:countTokens` of Vertex AI accepts, and wraps them for the API-key endpoint. */
export function toCountTokens(request: JsonObject, model: string, surface: 'vertex' | 'developer'): JsonObject {
  const { contents, systemInstruction, tools } = request;
  const counted = {
    contents,
    ...(systemInstruction === undefined ? {} : { systemInstruction }),
    ...(tools === undefined ? {} : { tools }),
  };
  return surface === 'vertex' ? counted : { generateContentRequest: { model: `models/${model}`, ...counted } };
}

/** Returns the count. @throws GatewayError `upstream_invalid` */
export function fromCountTokens(text: string): JsonObject {
  const total = parseObject(text)?.['totalTokens'];
  if (typeof total !== 'number') {
    throw new GatewayError('upstream_invalid', { message: "The provider's response contains no token count.", source: 'provider' });
  }
  return { input_tokens: total };
}
