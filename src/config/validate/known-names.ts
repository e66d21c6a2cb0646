import type { Path } from '../read/node.ts';

/** A key that we do not take, and what to do about it. */
export interface KnownName {
  readonly code: 'unknown-key' | 'not-supported';
  readonly severity?: 'warning';
  readonly message?: string;
  readonly hint: string;
}

type Area = 'top' | 'server' | 'provider' | 'virtual_key' | 'api_key' | 'target' | 'retry' | 'strategy' | 'prompt' | 'logging';

const later = (what: string): KnownName => ({ code: 'not-supported', hint: `remove it: this version does not ${what}` });
const ours = (hint: string): KnownName => ({ code: 'unknown-key', hint });

/** Names that people bring from other gateways, or that later versions take, by the mapping in which they stand. */
const table: Readonly<Record<Area, Readonly<Record<string, KnownName>>>> = {
  top: {
    limits: later('limit anything'),
    guardrails: later('check anything'),
    pricing: later('use the prices'),
    observability: later('export anything'),
    model_list: ours('write providers: for the services that can be called, and configs: for named routes'),
    models: ours('write providers: for the services that can be called, and configs: for named routes'),
    general_settings: ours('write server: and api_keys:'),
    router_settings: ours('write a config with strategy, targets and retry'),
    litellm_settings: ours('write configs: with strategy, targets and retry'),
    routes: ours('write configs:'),
    listen: ours('write server: {listen: …}'),
    port: ours('write server: {listen: 127.0.0.1:8787}'),
    keys: ours('write api_keys:'),
    log_level: ours('write logging: {level: …}'),
  },
  server: {
    admin: later('open an admin listener'),
    workers: later('start further processes'),
    cors: later('respond to preflight requests'),
    request_timeout: ours('write timeouts: {total: 120s}'),
    timeout: ours('write timeouts: {total: 120s}'),
    port: ours('write listen: 127.0.0.1:8787'),
    host: ours('write listen: 127.0.0.1:8787'),
    bind: ours('write listen: 127.0.0.1:8787'),
  },
  provider: {
    api_base: ours('write custom_host'),
    base_url: ours('write custom_host'),
    baseURL: ours('write custom_host'),
    baseUrl: ours('write custom_host'),
    url: ours('write custom_host'),
    endpoint: ours('write custom_host'),
    host: ours('write custom_host'),
    key: ours('write api_key'),
    apiKey: ours('write api_key'),
    api_token: ours('write api_key'),
    token: ours('write api_key'),
    provider: ours('write type'),
    kind: ours('write type'),
    slug: ours('the mapping key is the slug already: remove it'),
    id: ours('the mapping key is the slug already: remove it'),
    tenant_id: ours('write auth: {mode: …, tenant_id: …}'),
    client_id: ours('write auth: {mode: …, client_id: …}'),
    client_secret: ours('write auth: {mode: …, client_secret: …}'),
    timeout: ours('write timeouts: {total: 120s}'),
    request_timeout: ours('write timeouts: {total: 120s}'),
    limits: later('limit anything'),
    stream_usage: later('add the usage to streams'),
    media: later('read media'),
  },
  virtual_key: {
    limits: later('limit anything'),
    key: ours('write api_key'),
    slug: ours('write provider'),
    tenant_id: ours('write auth: {mode: …, tenant_id: …}'),
    client_id: ours('write auth: {mode: …, client_id: …}'),
    client_secret: ours('write auth: {mode: …, client_secret: …}'),
  },
  api_key: {
    limits: later('limit anything'),
    key: ours('write hash: the SHA-256 of the key, never the key itself'),
    api_key: ours('write hash: the SHA-256 of the key, never the key itself'),
    config: ours('write default_config'),
    models: ours('write allow: {models: […]}'),
    configs: ours('write allow: {configs: […]}'),
    providers: ours('write allow: {providers: […]}'),
    rate_limit: later('limit anything'),
    budget: later('limit anything'),
  },
  target: {
    input_guardrails: later('check anything'),
    output_guardrails: later('check anything'),
    guardrails: later('check anything'),
    before_request_hooks: later('run hooks'),
    after_request_hooks: later('run hooks'),
    input_mutators: later('change anything'),
    output_mutators: later('change anything'),
    model: ours('write override_params: {model: …}'),
    params: ours('write override_params'),
    override: ours('write override_params'),
    defaults: ours('write override_params'),
    fallbacks: ours('write targets, and strategy: {mode: fallback}'),
    fallback: ours('write targets, and strategy: {mode: fallback}'),
    options: ours('write targets'),
    mode: ours('write strategy: {mode: …}'),
    load_balance: ours('write strategy: {mode: loadbalance}'),
    loadbalance: ours('write strategy: {mode: loadbalance}'),
    num_retries: ours('write retry: {attempts: …}'),
    max_retries: ours('write retry: {attempts: …}'),
    retries: ours('write retry: {attempts: …}'),
    timeout: ours('write request_timeout (milliseconds) or timeouts: {total: 30s}'),
    base_url: ours('write custom_host'),
    baseURL: ours('write custom_host'),
    api_base: ours('write custom_host'),
    headers: ours('write forward_headers with the names of the headers'),
    type: ours('write provider'),
  },
  retry: {
    max_attempts: ours('write attempts'),
    count: ours('write attempts'),
    max_retries: ours('write attempts'),
    retry_on: ours('write on_status_codes'),
    status_codes: ours('write on_status_codes'),
    backoff: ours('the waits double, starting at one second: remove it'),
  },
  strategy: {
    sticky: later('keep a caller on a target'),
    cb_config: later('open a circuit'),
    type: ours('write mode'),
    rules: ours('write conditions'),
  },
  prompt: {
    template: ours('write messages: [{role: user, content: …}]'),
    prompt: ours('write messages: [{role: user, content: …}]'),
    string: ours('write messages: [{role: user, content: …}]'),
    content: ours('write messages: [{role: user, content: …}]'),
    hyperparameters: ours('write parameters'),
    params: ours('write parameters'),
    override_params: ours('write parameters'),
    temperature: ours('write parameters: {temperature: …}'),
    max_tokens: ours('write parameters: {max_tokens: …}'),
    tools: ours('write parameters: {tools: […]}'),
    provider: ours('write model: "@slug/model"'),
    version: ours('write versions: {1: {messages: […]}}'),
    id: ours('the mapping key is the id already: remove it'),
  },
  logging: {
    file: ours('write server: {state_dir: …} for the request log; lines go to the terminal'),
    retention: later('delete old records'),
  },
};

/** What we know about this key at this place. */
export function knownName(parent: Path, key: string): KnownName | undefined {
  const area = areaOf(parent);
  const rows = area === undefined ? undefined : table[area];
  return rows !== undefined && Object.hasOwn(rows, key) ? rows[key] : undefined;
}

function areaOf(path: Path): Area | undefined {
  if (path.length === 0) return 'top';
  const [first] = path;
  const last = path.at(-1);
  if (first === 'configs')
    return last === 'retry' || last === 'strategy' ? last : path.length === 2 || path.at(-2) === 'targets' ? 'target' : undefined;
  if (first === 'logging') return 'logging';
  if (first === 'prompts') return path.length === 2 || (path.length === 4 && path[2] === 'versions') ? 'prompt' : undefined;
  if (path.length === 1) return first === 'server' ? first : undefined;
  if (path.length !== 2) return undefined;
  return first === 'providers' ? 'provider' : first === 'virtual_keys' ? 'virtual_key' : first === 'api_keys' ? 'api_key' : undefined;
}
