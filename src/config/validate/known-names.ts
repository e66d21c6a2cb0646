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
const sameHint = (names: string, row: KnownName): Readonly<Record<string, KnownName>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, row]));
const notSupported = (names: string, what: string): Readonly<Record<string, KnownName>> =>
  sameHint(names, { code: 'not-supported', hint: `remove it: this version does not ${what}` });
const unknownKey = (names: string, hint: string): Readonly<Record<string, KnownName>> => sameHint(names, { code: 'unknown-key', hint });

const onlyOfKeys = sameHint('limits', { code: 'not-supported', hint: 'only keys and virtual keys have limits' });

/** Names from other gateways, or of later versions, by the mapping in which they occur. */
const hintsByArea: Readonly<Record<Area, Readonly<Record<string, KnownName>>>> = {
  top: {
    ...unknownKey('limits', 'write api_keys: {my-key: {limits: …}}, or server: {max_in_flight: …} for all requests together'),
    ...notSupported('guardrails', 'check anything'),
    ...unknownKey('model_list models', 'write providers: for the services that can be called, and configs: for named routes'),
    ...unknownKey('general_settings', 'write server: and api_keys:'),
    ...unknownKey('router_settings', 'write a config with strategy, targets and retry'),
    ...unknownKey('litellm_settings', 'write configs: with strategy, targets and retry'),
    ...unknownKey('routes', 'write configs:'),
    ...unknownKey('strategy targets retry request_timeout override_params', 'a config is written below configs: {my-config: …}'),
    ...unknownKey('listen', 'write server: {listen: …}'),
    ...unknownKey('port', 'write server: {listen: 127.0.0.1:8787}'),
    ...unknownKey('keys', 'write api_keys:'),
    ...unknownKey('log_level', 'write logging: {level: …}'),
  },
  server: {
    ...unknownKey('request_timeout timeout', 'write timeouts: {total: 120s}'),
    ...unknownKey('port host bind', 'write listen: 127.0.0.1:8787'),
  },
  provider: {
    ...unknownKey('api_base base_url baseURL baseUrl url endpoint host', 'write custom_host'),
    ...unknownKey('key apiKey api_token token', 'write api_key'),
    ...unknownKey('provider kind', 'write type'),
    ...unknownKey('slug id', 'the mapping key is the slug already: remove it'),
    ...unknownKey('tenant_id', 'write auth: {mode: …, tenant_id: …}'),
    ...unknownKey('client_id', 'write auth: {mode: …, client_id: …}'),
    ...unknownKey('client_secret', 'write auth: {mode: …, client_secret: …}'),
    ...unknownKey('timeout request_timeout', 'write timeouts: {total: 120s}'),
    ...onlyOfKeys,
    ...notSupported('media', 'read media'),
  },
  virtual_key: {
    ...unknownKey('key', 'write api_key'),
    ...unknownKey('slug', 'write provider'),
    ...unknownKey('tenant_id', 'write auth: {mode: …, tenant_id: …}'),
    ...unknownKey('client_id', 'write auth: {mode: …, client_id: …}'),
    ...unknownKey('client_secret', 'write auth: {mode: …, client_secret: …}'),
  },
  api_key: {
    ...unknownKey('rate rate_limit rpm rpm_limit', 'write limits: {rate: 60/min}'),
    ...unknownKey('tokens tpm tpm_limit', 'write limits: {tokens: 200k/min}'),
    ...unknownKey('budget max_budget', 'write limits: {budget: 50USD/month}'),
    ...unknownKey('concurrency max_parallel_requests', 'write limits: {concurrency: 20}'),
    ...unknownKey('key api_key', 'write hash: the SHA-256 of the key, never the key itself'),
    ...unknownKey('config', 'write default_config'),
    ...unknownKey('models', 'write allow: {models: […]}'),
    ...unknownKey('configs', 'write allow: {configs: […]}'),
    ...unknownKey('providers', 'write allow: {providers: […]}'),
  },
  target: {
    ...notSupported('input_guardrails output_guardrails guardrails', 'check anything'),
    ...notSupported('before_request_hooks after_request_hooks', 'run hooks'),
    ...notSupported('input_mutators output_mutators', 'change anything'),
    ...unknownKey('model', 'write override_params: {model: …}'),
    ...unknownKey('params override defaults', 'write override_params'),
    ...unknownKey('fallbacks fallback', 'write targets, and strategy: {mode: fallback}'),
    ...unknownKey('options', 'write targets'),
    ...unknownKey('mode', 'write strategy: {mode: …}'),
    ...unknownKey('load_balance loadbalance', 'write strategy: {mode: loadbalance}'),
    ...unknownKey('num_retries max_retries retries', 'write retry: {attempts: …}'),
    ...unknownKey('timeout', 'write request_timeout (milliseconds) or timeouts: {total: 30s}'),
    ...unknownKey('base_url baseURL api_base', 'write custom_host'),
    ...unknownKey('headers', 'write forward_headers with the names of the headers'),
    ...unknownKey('type', 'write provider'),
  },
  retry: {
    ...unknownKey('max_attempts count max_retries', 'write attempts'),
    ...unknownKey('retry_on status_codes', 'write on_status_codes'),
    ...unknownKey('backoff', 'the waits double, starting at one second: remove it'),
  },
  strategy: {
    ...notSupported('sticky', 'keep a caller on a target'),
    ...unknownKey('circuit_breaker breaker', 'write cb_config: {failure_threshold: 5}'),
    ...unknownKey('type', 'write mode'),
    ...unknownKey('rules', 'write conditions'),
  },
  prompt: {
    ...unknownKey('template prompt string content', 'write messages: [{role: user, content: …}]'),
    ...unknownKey('hyperparameters params override_params', 'write parameters'),
    ...unknownKey('temperature', 'write parameters: {temperature: …}'),
    ...unknownKey('max_tokens', 'write parameters: {max_tokens: …}'),
    ...unknownKey('tools', 'write parameters: {tools: […]}'),
    ...unknownKey('provider', 'write model: "@slug/model"'),
    ...unknownKey('version', 'write versions: {1: {messages: […]}}'),
    ...unknownKey('id', 'the mapping key is the id already: remove it'),
  },
  logging: {
    ...unknownKey('file', 'write server: {state_dir: …} for the request log; lines go to the terminal'),
    ...unknownKey('retention', 'write requests: {retention: {age: 14d}}'),
    ...unknownKey('bodies', 'write requests: {bodies: …}'),
    ...unknownKey('redact', 'write requests: {redact: …}'),
    ...unknownKey('store', 'write requests: {store: …}'),
    ...unknownKey('sample', 'write requests: {sample: …}'),
    ...unknownKey('client_may max_body memory_rows spool_size', 'write it below requests'),
  },
};

/** What is known about this key at this path; undefined for other keys. */
export function knownName(parent: Path, key: string): KnownName | undefined {
  const area = areaOf(parent);
  const rows = area === undefined ? undefined : hintsByArea[area];
  return rows !== undefined && Object.hasOwn(rows, key) ? rows[key] : undefined;
}

function areaOf(path: Path): Area | undefined {
  if (path.length === 0) return 'top';
  const [first] = path;
  const last = path.at(-1);
  if (first === 'configs')
    return last === 'retry' || last === 'strategy' ? last : path.length === 2 || path.at(-2) === 'targets' ? 'target' : undefined;
  if (first === 'prompts') return path.length === 2 || (path.length === 4 && path[2] === 'versions') ? 'prompt' : undefined;
  if (path.length === 1) return first === 'server' || first === 'logging' ? first : undefined;
  if (path.length !== 2) return undefined;
  return first === 'providers' ? 'provider' : first === 'virtual_keys' ? 'virtual_key' : first === 'api_keys' ? 'api_key' : undefined;
}
