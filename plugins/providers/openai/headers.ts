import type { HeaderPairs } from '#core/http/headers.ts';
import type { Call } from '#core/provider.ts';
import { callerHeaders } from '#formats/shared/request/caller-headers.ts';
import type { OpenAiSettings } from './settings.ts';

/** Request headers of the caller that are independent of the account. */
export const forwardedHeaders = ['openai-beta', 'idempotency-key', 'x-client-request-id'] as const;

/** Returns the headers that select a part of the account. The provider's own organization and project take precedence over the caller's. */
export function accountHeaders(call: Call<OpenAiSettings>): HeaderPairs {
  const { organization, project } = call.settings;
  const header = (name: string): string | undefined => (name === 'openai-organization' ? organization : project) ?? call.header(name);
  return callerHeaders({ header }, ['openai-organization', 'openai-project']);
}

/** Headers on modelled routes, in addition to the credential. Relayed routes keep the caller's headers anyway. */
export const openaiHeaders = (call: Call<OpenAiSettings>): HeaderPairs => [
  ...accountHeaders(call),
  ...callerHeaders(call, forwardedHeaders),
];
