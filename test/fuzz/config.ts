/** A provider of every type, all of them served by one local upstream, short timeouts, and a chain of two. */
export function fuzzConfig(upstream: string, more: object = {}): object {
  const key = 'sk-key-of-the-fuzzed-provider-0123';
  return {
    version: 1,
    server: {
      state_dir: 'memory',
      drain: { delay: '0s', timeout: '3s' },
      timeouts: { connect: '2s', first_byte: '2s', idle: '2s', total: '4s' },
    },
    providers: {
      'p-openai': { type: 'openai', api_key: key, custom_host: `${upstream}/v1` },
      'p-azure': {
        type: 'azure-openai',
        api_key: key,
        custom_host: `${upstream}/openai`,
        api_version: '2024-10-21',
        deployment_id: 'd1',
      },
      'p-foundry': { type: 'azure-ai', api_key: key, custom_host: `${upstream}/models` },
      'p-vertex': {
        type: 'vertex-ai',
        region: 'global',
        project: 'p2',
        custom_host: upstream,
        storage_host: upstream,
        auth: { mode: 'caller' },
      },
      'p-claude': { type: 'anthropic', api_key: key, custom_host: `${upstream}/v1` },
      'p-gemini': { type: 'gemini', api_key: key, custom_host: upstream },
      'p-mock': { type: 'mock' },
    },
    configs: {
      pair: { strategy: { mode: 'fallback' }, targets: [{ provider: 'p-claude' }, { provider: 'p-openai' }] },
      again: { retry: { attempts: 1, on_status_codes: [500, 502, 503] }, targets: [{ provider: 'p-gemini' }] },
    },
    logging: { requests: { bodies: 'full' } },
    ...more,
  };
}
