import { createHash } from 'node:crypto';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import type { ScriptedUpstream, SeenRequest } from '../support/upstream.ts';
import { startProvider } from './provider.ts';

/** A key without a special format: the gateway recognizes it only by its hash. */
export const callerKey = 'app-web-key-0123456789abcdef';
export const catalogKeys = { main: 'sk-main-0123456789', second: 'sk-second-0123456789', team: 'sk-team-0123456789' } as const;

/** Placeholders that libraries send without a key. */
export const placeholders = ['OPENAI_API_KEY', 'DUMMY-KEY'] as const;

export interface Rig {
  readonly upstream: ScriptedUpstream;
  readonly gateway: TestGateway;
  /** With `/v1`, as client libraries expect it. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** A gateway with one provider. @param open without keys, so that every client may use it */
export async function startRig(open = false): Promise<Rig> {
  const upstream = await startProvider();
  const gateway = await startTestGateway(catalog(upstream, open));
  return {
    upstream,
    gateway,
    baseUrl: `${gateway.url}/v1`,
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}

/** `gateway.yaml`; YAML reads JSON. */
function catalog({ url }: ScriptedUpstream, open: boolean): string {
  const custom_host = `${url}/v1`;
  const hash = `sha256:${createHash('sha256').update(callerKey).digest('hex')}`;
  const models = ['m-text', 'm-down'];
  return JSON.stringify({
    version: 1,
    server: { egress: { allow: ['127.0.0.1'] } },
    ...(open ? {} : { api_keys: { app: { hash, default_config: 'standard' } } }),
    providers: {
      main: { type: 'openai', api_key: catalogKeys.main, custom_host },
      second: { type: 'openai', api_key: catalogKeys.second, custom_host, models },
      // The slug in a minimal configuration, which is also the name of a type.
      openai: { type: 'openai', api_key: catalogKeys.main, custom_host },
    },
    virtual_keys: { team: { provider: 'main', api_key: catalogKeys.team } },
    configs: {
      standard: { provider: 'main' },
      broken: {
        strategy: { mode: 'fallback' },
        targets: [{ provider: 'main', retry: { attempts: 1, on_status_codes: [503] } }, { provider: 'second' }],
      },
      renaming: { strategy: { mode: 'fallback' }, targets: [{ provider: 'second', override_params: { model: 'm-text' } }] },
      impatient: { provider: 'main', request_timeout: '100ms' },
    },
    logging: { requests: { bodies: 'full' } },
  });
}

/** The complete request that a provider received, as one text. */
export const rawOf = ({ method, url, rawHeaders, body }: SeenRequest): string =>
  [method, url, ...rawHeaders, decoded(url), body.toString('latin1')].join('\n');

const decoded = (url: string): string => decodeURIComponent(url);
