import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { notSupported } from '../../shared/request/drops.ts';
import { unsupportedParameter } from '../../shared/request/parameter-errors.ts';
import type { Block, MessagesConversion } from './conversion.ts';

/** Rule for one field of a chat request. */
export type FieldRule =
  /** Converted by its own function. `object`: a value of another type is dropped and reported. */
  | { readonly computed: true; readonly object?: true }
  /** Not sent in the body: used for headers or by the gateway itself. */
  | { readonly gateway: true }
  /** Sent under this name; `with` may return nothing to send. `direct`: not on Vertex AI, which rejects it. */
  | { readonly to: string; readonly with?: (value: unknown, conversion: MessagesConversion) => unknown; readonly direct?: true }
  /** Dropped and reported, unless its value requests the default behavior. */
  | { readonly unsupported: string; readonly neutral?: (value: unknown) => boolean };

const computed: FieldRule = { computed: true };
const computedObject: FieldRule = { computed: true, object: true };
const gateway: FieldRule = { gateway: true };
const isZero = (value: unknown): boolean => value === 0;
const isFalse = (value: unknown): boolean => value === false;
const isEmpty = (value: unknown): boolean => isJsonObject(value) && Object.keys(value).length === 0;

/** Rules for every field of the chat completions request and of its extensions. */
export const fieldRules: Readonly<Record<string, FieldRule>> = {
  model: computed,
  messages: computed,
  stream: computed,
  stream_options: gateway,
  max_tokens: computed,
  max_completion_tokens: computed,
  temperature: computed,
  top_p: computed,
  top_k: computed,
  tools: computed,
  tool_choice: computed,
  parallel_tool_calls: computed,
  functions: computed,
  function_call: computed,
  web_search_options: computedObject,
  thinking: computedObject,
  reasoning_effort: computed,
  response_format: computed,
  output_config: computedObject,
  user: computed,
  safety_identifier: computed,
  metadata: computedObject,
  anthropic_beta: gateway,
  anthropic_version: gateway,
  vendor_beta: gateway,
  stop: { to: 'stop_sequences', with: stopSequences },
  stop_sequences: { to: 'stop_sequences', with: stopSequences },
  service_tier: { to: 'service_tier', with: serviceTier, direct: true },
  cache_control: { to: 'cache_control' },
  context_management: { to: 'context_management' },
  container: { to: 'container', direct: true },
  mcp_servers: { to: 'mcp_servers', direct: true },
  inference_geo: { to: 'inference_geo', direct: true },
  speed: { to: 'speed', direct: true },
  n: { unsupported: 'the service returns one choice', neutral: isSingleChoice },
  seed: { unsupported: 'the service has no seed' },
  frequency_penalty: { unsupported: 'the service has no penalties', neutral: isZero },
  presence_penalty: { unsupported: 'the service has no penalties', neutral: isZero },
  logit_bias: { unsupported: 'the service has no token bias', neutral: isEmpty },
  logprobs: { unsupported: 'the service returns no log probabilities', neutral: isFalse },
  top_logprobs: { unsupported: 'the service returns no log probabilities', neutral: isZero },
  modalities: {
    unsupported: 'the service returns only text',
    neutral: (value) => Array.isArray(value) && value.every((one) => one === 'text'),
  },
  audio: { unsupported: 'the service returns only text' },
  prediction: { unsupported: 'the service does not support predicted output' },
  store: { unsupported: 'the service stores no completions', neutral: isFalse },
  verbosity: { unsupported: 'the service has no verbosity' },
  prompt_cache_key: { unsupported: 'the service caches where cache_control is set' },
  prompt_cache_retention: { unsupported: 'the service caches where cache_control is set' },
  labels: { unsupported: 'kept only in the log record' },
  safety_settings: { unsupported: notSupported },
  image_config: { unsupported: 'the service returns only text' },
};

/** Applies the rules to all fields of a body: renames fields, and reports those that cannot be sent. */
export function applyFieldRules(body: JsonObject, conversion: MessagesConversion, handled: readonly string[], rules = fieldRules): Block {
  const out: Block = {};
  for (const key in body) {
    const value = body[key];
    if (value === null || value === undefined || handled.includes(key)) continue;
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) conversion.drops.add(key);
    else if ('computed' in rule) {
      if (rule.object === true && !isJsonObject(value)) conversion.drops.add(key, 'not an object');
    } else if ('unsupported' in rule) {
      if (rule.neutral?.(value) !== true) conversion.drops.add(key, rule.unsupported);
    } else if ('to' in rule) {
      const set = rule.with === undefined ? value : rule.with(value, conversion);
      if (rule.direct === true && conversion.surface !== 'direct') conversion.drops.add(key, 'not served by Vertex AI');
      else if (set !== undefined && JSON.stringify(out[rule.to] ?? set) !== JSON.stringify(set))
        conversion.drops.add(key, 'another field with the same meaning is sent instead');
      else if (set !== undefined) out[rule.to] = set;
    }
  }
  return out;
}

/** Reads one stop sequence or a list. The API rejects blank ones. */
function stopSequences(value: unknown, { drops }: MessagesConversion): unknown {
  const given = Array.isArray(value) ? (value as unknown[]) : [value];
  const stops = given.filter((one) => typeof one !== 'string' || one.trim() !== '');
  if (stops.length < given.length) drops.add('stop', 'the service rejects stop sequences of white space');
  return stops.length === 0 ? undefined : stops;
}

/** Accepts OpenAI's tier names and the API's own. */
function serviceTier(value: unknown, { drops }: MessagesConversion): unknown {
  if (value === 'auto' || value === 'standard_only') return value;
  if (value === 'default') return 'standard_only';
  drops.add('service_tier', 'the service has no such tier');
  return undefined;
}

/** @throws GatewayError `unsupported_parameter` if more than one choice is requested */
function isSingleChoice(value: unknown): boolean {
  if (value === 1) return true;
  throw unsupportedParameter('n', 'The service returns one choice; n must be 1.', 'Send several requests.');
}
