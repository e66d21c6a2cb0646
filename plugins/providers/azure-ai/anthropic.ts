import { emptyBody, type JsonBody } from '#core/json/body.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import { headerFields, versionHeaders } from '#formats/anthropic-messages/headers.ts';
import { anthropicOperations } from '../_shared/anthropic-compatible.ts';
import { type FoundryCall, messagesAddress, targetOf } from './routes.ts';
import type { FoundrySettings } from './settings.ts';

/** Anthropic's models: chats are converted, the messages API is passed through. */
export const anthropic = anthropicOperations<FoundrySettings>({
  serves: (call) => targetOf(call).api === 'messages',
  send(call, route, body, neededBetas) {
    const json = body.kind === 'json' ? body : undefined;
    const headers: HeaderPairs = ['accept', call.stream ? 'text/event-stream' : 'application/json'];
    if (json !== undefined) headers.push('content-type', 'application/json');
    headers.push(...anthropicHeaders(call, json, neededBetas));
    return { ...messagesAddress(call, route), method: call.method, headers, body: json ?? emptyBody, dropped: [] };
  },
  options: ({ settings: { max_tokens: maxTokens } }) => ({ handled: headerFields, ...(maxTokens === undefined ? {} : { maxTokens }) }),
});

/** Returns the version header, which the API requires, and the beta features from the provider's settings and the client. */
export function anthropicHeaders(call: FoundryCall, body?: JsonBody, neededBetas?: readonly string[]): HeaderPairs {
  const { anthropic_version: version, anthropic_beta: betas } = call.settings;
  return versionHeaders(call, body, { version, betas }, neededBetas);
}
