import type { Endpoint } from '../../core/endpoint.ts';
import type { Call, CommonSettings, Operation, Provider } from '../../core/provider.ts';
import { messagesRequests } from '../anthropic-messages/to-hub/index.ts';
import { responsesRequests } from '../openai-responses/to-hub/index.ts';
import { type ClientRequests, viaChat } from './chat.ts';
import { estimatedCount, viaChatCount, viaInputTokens } from './count.ts';

type Operations = Provider['operations'];

/** Builds the operation for a route whose format the provider does not support; undefined if none of its operations can serve it. */
type RouteAdapter = (operations: Operations) => Operation | undefined;

const routeAdapters: { readonly [E in Endpoint]?: RouteAdapter } = {
  responses: ({ 'chat/completions': chat }) => (chat === undefined ? undefined : viaChat(chat, responsesRequests)),
  'responses/input_tokens': (operations) => countFor(responsesRequests, operations),
  messages: ({ 'chat/completions': chat }) => (chat === undefined ? undefined : viaChat(chat, messagesRequests)),
  'messages/count_tokens': (operations) => countFor(messagesRequests, operations),
};

/** Counts tokens with the provider's own count, or estimates them. */
function countFor(format: ClientRequests, { 'chat/completions': chat, 'responses/input_tokens': inputTokens }: Operations) {
  const counted = chat?.count !== undefined ? viaChatCount(chat.count, format) : inputTokens && viaInputTokens(inputTokens, format);
  const estimate = chat === undefined ? undefined : estimatedCount(format);
  return counted?.serves === undefined || estimate === undefined ? (counted ?? estimate) : choosePerCall(counted, estimate);
}

/**
 * Returns a provider with additional routes that its other operations can serve. The rule for all formats: the provider's own
 * operation for the client's route passes the bytes; otherwise the request is converted to the common format and sent to its chat
 * completions; otherwise the route is not served.
 */
export function throughHub(provider: Provider): Provider {
  const operations: { -readonly [E in Endpoint]?: Operation } = { ...provider.operations };
  for (const [endpoint, detour] of Object.entries(routeAdapters) as [Endpoint, RouteAdapter][]) {
    const own = operations[endpoint];
    const other = own !== undefined && own.serves === undefined ? undefined : detour(provider.operations);
    if (other !== undefined) operations[endpoint] = own === undefined ? other : choosePerCall(own, other);
  }
  return Object.freeze({ ...provider, operations: Object.freeze(operations) });
}

/** Chooses per call, because only some models of a provider support the client's format. */
function choosePerCall(own: Operation, other: Operation): Operation {
  const chosen = (call: Call<CommonSettings>): Operation => (own.serves?.(call) === false ? other : own);
  return {
    isConverted: true,
    media: (body, call) => chosen(call).media?.(body, call) ?? [],
    begin: (body, call) => chosen(call).begin(body, call),
  };
}
