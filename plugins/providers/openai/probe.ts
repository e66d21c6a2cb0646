import type { CommonSettings, Probe } from '#core/provider.ts';

const fixes = {
  401: 'check the key: it was revoked, or belongs to another service',
  403: 'give the key the permission to list models, or use a key of the right project',
  404: 'check custom_host: it ends in /v1 for most services',
} as const;

/** Listing the models verifies the key and is free. `deep` also sends a request to the cheapest model of OpenAI itself. */
export function probe({ custom_host: customHost }: CommonSettings, deep: boolean): readonly Probe[] {
  const list: Probe = { endpoint: 'models', method: 'GET', model: '', proves: 'credential', fixes };
  if (!deep || customHost !== undefined) return [list];
  const body = { messages: [{ role: 'user', content: 'ping' }], max_completion_tokens: 1 };
  return [list, { endpoint: 'chat/completions', method: 'POST', model: 'gpt-4o-mini', body, proves: 'credential' }];
}
