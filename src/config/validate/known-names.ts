import type { Path } from '../read/node.ts';

/** A key that is not accepted, with a hint for what to write instead. */
export interface KnownName {
  readonly code: 'unknown-key' | 'not-supported';
  readonly severity?: 'warning';
  readonly message?: string;
  readonly hint: string;
}

type Area = 'top' | 'server' | 'provider' | 'virtual_key' | 'api_key' | 'target' | 'retry' | 'strategy' | 'prompt' | 'logging';

/** The same hint for several names. */
const all = (names: string, row: KnownName): Readonly<Record<string, KnownName>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, row]));
const later = (names: string, what: string): Readonly<Record<string, KnownName>> =>
  all(names, { code: 'not-supported', hint: `remove it: this version does not ${what}` });
const ours = (names: string, hint: string): Readonly<Record<string, KnownName>> => all(names, { code: 'unknown-key', hint });

/** Names from other gateways, or of later versions, by the mapping in which they occur. */
const table: Readonly<Record<Area, Readonly<Record<string, KnownName>>>> = {
  top: {
    ...later('limits', 'limit anything'),
    ...later('guardrails', 'check anything'),
    ...ours('model_list models', 'write providers: for the services that can be called, and configs: for named routes'),
    ...ours('general_settings', 'write server: and api_keys:'),
    ...ours('router_settings', 'write a config with strategy, targets and retry'),
    ...ours('litellm_settings', 'write configs: with strategy, targets and retry'),
    ...ours('routes', 'write configs:'),
    ...ours('strategy targets retry request_timeout override_params', 'a config is written below configs: {my-config: …}'),
    ...ours('listen', 'write server: {listen: …}'),
    ...ours('port', 'write server: {listen: 127.0.0.1:8787}'),
    ...ours('keys', 'write api_keys:'),
    ...ours('log_level', 'write logging: {level: …}'),
  },
  server: {
    ...ours('request_timeout timeout', 'write timeouts: {total: 120s}'),
    ...ours('port host bind', 'write listen: 127.0.0.1:8787'),
  },
  provider: {
    ...ours('api_base base_url baseURL baseUrl url endpoint host', 'write custom_host'),
    ...ours('key apiKey api_token token', 'write api_key'),
    ...ours('provider kind', 'write type'),
    ...ours('slug id', 'the mapping key is the slug already: remove it'),
    ...ours('tenant_id', 'write auth: {mode: …, tenant_id: …}'),
    ...ours('client_id', 'write auth: {mode: …, client_id: …}'),
    ...ours('client_secret', 'write auth: {mode: …, client_secret: …}'),
    ...ours('timeout request_timeout', 'write timeouts: {total: 120s}'),
    ...later('limits', 'limit anything'),
    ...later('stream_usage', 'add the usage to streams'),
    ...later('media', 'read media'),
  },
  virtual_key: {
    ...later('limits', 'limit anything'),
    ...ours('key', 'write api_key'),
    ...ours('slug', 'write provider'),
    ...ours('tenant_id', 'write auth: {mode: …, tenant_id: …}'),
    ...ours('client_id', 'write auth: {mode: …, client_id: …}'),
    ...ours('client_secret', 'write auth: {mode: …, client_secret: …}'),
  },
  api_key: {
    ...later('limits rate_limit budget', 'limit anything'),
    ...ours('key api_key', 'write hash: the SHA-256 of the key, never the key itself'),
    ...ours('config', 'write default_config'),
    ...ours('models', 'write allow: {models: […]}'),
    ...ours('configs', 'write allow: {configs: […]}'),
    ...ours('providers', 'write allow: {providers: […]}'),
  },
  target: {
    ...later('input_guardrails output_guardrails guardrails', 'check anything'),
    ...later('before_request_hooks after_request_hooks', 'run hooks'),
    ...later('input_mutators output_mutators', 'change anything'),
    ...ours('model', 'write override_params: {model: …}'),
    ...ours('params override defaults', 'write override_params'),
    ...ours('fallbacks fallback', 'write targets, and strategy: {mode: fallback}'),
    ...ours('options', 'write targets'),
    ...ours('mode', 'write strategy: {mode: …}'),
    ...ours('load_balance loadbalance', 'write strategy: {mode: loadbalance}'),
    ...ours('num_retries max_retries retries', 'write retry: {attempts: …}'),
    ...ours('timeout', 'write request_timeout (milliseconds) or timeouts: {total: 30s}'),
    ...ours('base_url baseURL api_base', 'write custom_host'),
    ...ours('headers', 'write forward_headers with the names of the headers'),
    ...ours('type', 'write provider'),
  },
  retry: {
    ...ours('max_attempts count max_retries', 'write attempts'),
    ...ours('retry_on status_codes', 'write on_status_codes'),
    ...ours('backoff', 'the waits double, starting at one second: remove it'),
  },
  strategy: {
    ...later('sticky', 'keep a caller on a target'),
    ...ours('circuit_breaker breaker', 'write cb_config: {failure_threshold: 5}'),
    ...ours('type', 'write mode'),
    ...ours('rules', 'write conditions'),
  },
  prompt: {
    ...ours('template prompt string content', 'write messages: [{role: user, content: …}]'),
    ...ours('hyperparameters params override_params', 'write parameters'),
    ...ours('temperature', 'write parameters: {temperature: …}'),
    ...ours('max_tokens', 'write parameters: {max_tokens: …}'),
    ...ours('tools', 'write parameters: {tools: […]}'),
    ...ours('provider', 'write model: "@slug/model"'),
    ...ours('version', 'write versions: {1: {messages: […]}}'),
    ...ours('id', 'the mapping key is the id already: remove it'),
  },
  logging: {
    ...ours('file', 'write server: {state_dir: …} for the request log; lines go to the terminal'),
    ...later('retention', 'delete old records'),
  },
};

/** What is known about this key at this path; undefined for other keys. */
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
