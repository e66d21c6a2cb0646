import type { HeaderPairs } from '#core/http/headers.ts';
import type { Call } from '#core/provider.ts';
import { callerHeaders } from '../_shared/openai-compatible.ts';
import type { OpenAiSettings } from './settings.ts';

/** Headers of the caller that belong to the request, not to the account. */
const perRequest = ['openai-beta', 'idempotency-key', 'x-client-request-id'] as const;

/** Which part of the account is used. The entry's own organization and project win over the caller's. */
export function accountHeaders(call: Call<OpenAiSettings>): HeaderPairs {
  const { organization, project } = call.settings;
  const header = (name: string): string | undefined => (name === 'openai-organization' ? organization : project) ?? call.header(name);
  return callerHeaders({ header }, ['openai-organization', 'openai-project']);
}

/** What goes beside the credential on modelled routes; relayed ones keep the caller's headers anyway. */
export const openaiHeaders = (call: Call<OpenAiSettings>): HeaderPairs => [...accountHeaders(call), ...callerHeaders(call, perRequest)];
