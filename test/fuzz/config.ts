import { createHash } from 'node:crypto';

/** Provider types to fuzz; each has one provider per lane. */
const types = ['openai', 'azure', 'foundry', 'vertex', 'claude', 'gemini'] as const;

/** Names of the providers that the upstream of a lane responds to. */
export const providerNames = (lane: number): readonly string[] => [...types.map((type) => `p-${type}-${lane}`), 'p-mock'];

/**
 * Configuration with a provider of every type per lane, all using the lane's own upstream, short timeouts, and configs with
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
    configs: Object.assign({}, ...upstreams.map((_, lane) => chains(lane))) as object,
    prompts: { welcome: { model: '@p-mock/echo', messages: [{ role: 'user', content: 'Hi {{name}}' }] } },
    logging: { requests: { bodies: 'full', spool_size: '64MB' } },
  };
}

function entries(upstream: string, lane: number): object {
  const api_key = 'sk-key-of-the-fuzzed-provider-0123';
  const azure = { api_version: '2024-10-21', deployment_id: 'd1' };
  return {
    [`p-openai-${lane}`]: { type: 'openai', api_key, custom_host: `${upstream}/v1` },
    [`p-azure-${lane}`]: { type: 'azure-openai', api_key, custom_host: `${upstream}/openai`, ...azure },
    [`p-foundry-${lane}`]: { type: 'azure-ai', api_key, custom_host: `${upstream}/models` },
    [`p-vertex-${lane}`]: {
      type: 'vertex-ai',
      region: 'global',
      project: 'p2',
      custom_host: upstream,
      storage_host: upstream,
      auth: { mode: 'caller' },
    },
    [`p-claude-${lane}`]: { type: 'anthropic', api_key, custom_host: `${upstream}/v1` },
    [`p-gemini-${lane}`]: { type: 'gemini', api_key, custom_host: upstream },
  };
}

function chains(lane: number): object {
  return {
    [`pair-${lane}`]: { strategy: { mode: 'fallback' }, targets: [{ provider: `p-claude-${lane}` }, { provider: `p-openai-${lane}` }] },
    [`again-${lane}`]: { retry: { attempts: 1, on_status_codes: [500, 502, 503] }, targets: [{ provider: `p-gemini-${lane}` }] },
  };
}

const hash = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;
