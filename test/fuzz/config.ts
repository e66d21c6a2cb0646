import { createHash } from 'node:crypto';

/** Provider types to fuzz; each has one provider per slot. */
const types = ['openai', 'azure', 'foundry', 'vertex', 'claude', 'gemini'] as const;

/** Names of the providers that the upstream of a slot responds to. */
export const providerNames = (slot: number): readonly string[] => [...types.map((type) => `p-${type}-${slot}`), 'p-mock'];

/**
 * Configuration with a provider of every type per slot, all using the slot's own upstream, short timeouts, and configs with
 * fallback and retry.
 *
 * @param keys of the gateway; the second is limited to a few models. Without keys the gateway is open
 */
export function fuzzConfig(upstreams: readonly string[], keys: readonly string[]): object {
  const [first, few] = keys;
  return {
    version: 1,
    server: {
      drain: { delay: '0s', timeout: '3s' },
      timeouts: { connect: '2s', first_byte: '1s', idle: '1s', total: '2s' },
    },
    ...(first === undefined
      ? {}
      : {
          api_keys: {
            all: { hash: hash(first) },
            few: { hash: hash(few ?? ''), allow: { models: ['m', 'gpt-*', 'gemini-*', 'claude-*'] } },
          },
        }),
    providers: { 'p-mock': { type: 'mock' }, ...Object.assign({}, ...upstreams.map(entries)) },
    configs: Object.assign({}, ...upstreams.map((_, slot) => chains(slot))) as object,
    prompts: { welcome: { model: '@p-mock/echo', messages: [{ role: 'user', content: 'Hi {{name}}' }] } },
    logging: { requests: { bodies: 'full', spool_size: '64MB' } },
  };
}

function entries(upstream: string, slot: number): object {
  const api_key = 'sk-key-of-the-fuzzed-provider-0123';
  const azure = { api_version: '2024-10-21', deployment_id: 'd1' };
  return {
    [`p-openai-${slot}`]: { type: 'openai', api_key, custom_host: `${upstream}/v1` },
    [`p-azure-${slot}`]: { type: 'azure-openai', api_key, custom_host: `${upstream}/openai`, ...azure },
    [`p-foundry-${slot}`]: { type: 'azure-ai', api_key, custom_host: `${upstream}/models` },
    [`p-vertex-${slot}`]: {
      type: 'vertex-ai',
      region: 'global',
      project: 'p2',
      custom_host: upstream,
      storage_host: upstream,
      auth: { mode: 'caller' },
    },
    [`p-claude-${slot}`]: { type: 'anthropic', api_key, custom_host: `${upstream}/v1` },
    [`p-gemini-${slot}`]: { type: 'gemini', api_key, custom_host: upstream },
  };
}

function chains(slot: number): object {
  return {
    [`pair-${slot}`]: { strategy: { mode: 'fallback' }, targets: [{ provider: `p-claude-${slot}` }, { provider: `p-openai-${slot}` }] },
    [`again-${slot}`]: { retry: { attempts: 1, on_status_codes: [500, 502, 503] }, targets: [{ provider: `p-gemini-${slot}` }] },
  };
}

const hash = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;
