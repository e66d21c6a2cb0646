import { emptyBody, type EmptyBody, JsonBody } from '#core/json/body.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { OldOperation, UpstreamRequest } from '#core/provider.ts';
import { mediaNeeds, toMessages } from '#formats/anthropic-messages/request/index.ts';
import { fromMessage } from '#formats/anthropic-messages/answer/result.ts';
import { MessagesStream } from '#formats/anthropic-messages/answer/stream.ts';
import { betasOf, headerFields, versionOf } from '#formats/anthropic-messages/headers.ts';
import { withoutMarks } from '#formats/anthropic-messages/marks.ts';
import { MessagesTap } from '#formats/anthropic-messages/answer/tap.ts';
import { withRemembered } from '#formats/anthropic-messages/answer/thoughts.ts';
import { JsonTap } from '#formats/shared/json-tap.ts';
import { type FoundryCall, messages } from './routes.ts';
import type { FoundrySettings } from './settings.ts';

type Body = JsonBody | EmptyBody;

const defaultVersion = '2023-06-01';

/** Chat completions with Anthropic's models, converted both ways. */
export const anthropicChat: OldOperation<FoundrySettings> = {
  request(body, call) {
    if (body.kind === 'none') return send(body, call, 'messages');
    const { max_tokens: maxTokens } = call.settings;
    const options = maxTokens === undefined ? { media: call.media } : { media: call.media, maxTokens };
    const { body: converted, dropped, betas } = toMessages(withRemembered(body, call), call, { ...options, handled: headerFields });
    return { ...send(body, call, 'messages', betas), body: JsonBody.of(converted), dropped };
  },
  media: (body) => (body.kind === 'json' && body.mentions('://') ? mediaNeeds(body.json(), 'direct') : []),
  tap: () => new MessagesTap(),
  result: fromMessage,
  stream: (call) => new MessagesStream(call),
};

/** The messages API itself: bytes pass, but for the model and fields that stand for headers. */
export const nativeMessages: OldOperation<FoundrySettings> = {
  request: (body, call) => native(body, call, 'messages'),
  tap: () => new MessagesTap(),
};

export const countTokens: OldOperation<FoundrySettings> = {
  request: (body, call) => native(body, call, 'messages/count_tokens'),
  tap: () => new JsonTap(),
};

function native(body: Body, call: FoundryCall, route: string): UpstreamRequest {
  const request = send(body, call, route);
  if (body.kind === 'none') return request;
  const patch = new Map<string, unknown>();
  if (call.model !== '' && body.peek('model') !== call.model) patch.set('model', call.model);
  for (const field of [...headerFields, 'labels']) if (body.has(field)) patch.set(field, undefined);
  const dropped = body.has('labels') ? [{ param: 'labels', reason: 'kept only in the log record' }] : [];
  return { ...request, body: withoutMarks(body).edit(patch), dropped };
}

function send(body: Body, call: FoundryCall, route: string, needed: readonly string[] = []): UpstreamRequest {
  const headers: HeaderPairs = ['accept', call.stream ? 'text/event-stream' : 'application/json'];
  const json = body.kind === 'json' ? body : undefined;
  if (json !== undefined) headers.push('content-type', 'application/json');
  headers.push(...anthropicHeaders(call, json, needed));
  return { ...messages(call, route), method: call.method, headers, body: json ?? emptyBody, dropped: [] };
}

/** The version, which the API wants, and the features that entry and client ask for. */
export function anthropicHeaders(call: FoundryCall, body: JsonBody | undefined, needed: readonly string[] = []): HeaderPairs {
  const { anthropic_version: version, anthropic_beta: beta } = call.settings;
  const headers: HeaderPairs = ['anthropic-version', versionOf(call, body, version ?? defaultVersion)];
  const own = typeof beta === 'string' ? beta.split(',').map((one) => one.trim()) : (beta ?? []);
  const betas = betasOf(call, body, [...own, ...needed]);
  if (betas.length > 0) headers.push('anthropic-beta', betas.join(','));
  return headers;
}
