import { type FieldRule, fieldRules } from '../../anthropic-messages/request/params.ts';
import { GatewayError } from '../../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { thinkingAgrees } from '../../../core/model/field-names.ts';
import type { SameMeaning } from '../../../core/provider.ts';
import type { Drops } from '../../shared/request/drops.ts';

const computed: FieldRule = { computed: true };
const computedObject: FieldRule = { computed: true, object: true };

/** A value of another type is an error, because without a guardrail, for example, the request must not be sent. */
const object = (to: string): FieldRule => ({
  to,
  with: (value) => {
    if (isJsonObject(value)) return value;
    throw new GatewayError('invalid_type', { message: `"${to}" is not an object.`, param: to, hint: `Send an object in "${to}".` });
  },
});

/** Fields of Anthropic's API that Bedrock does not support. */
const notServed: FieldRule = { unsupported: 'not served by Bedrock' };

/** Rules for every field of the chat completions request and of its extensions, and for Converse's fields under their own names. */
export const converseParams: Readonly<Record<string, FieldRule>> = {
  ...fieldRules,
  stop: computed,
  stop_sequences: computed,
  labels: computedObject,
  metadata: computedObject,
  output_config: computedObject,
  requestMetadata: computedObject,
  outputConfig: computedObject,
  additionalModelRequestFields: computedObject,
  additional_model_request_fields: computedObject,
  user: { unsupported: 'the service has no field for a user' },
  safety_identifier: { unsupported: 'the service has no field for a user' },
  service_tier: { to: 'serviceTier', with: serviceTier },
  cache_control: { unsupported: 'mark a message, part or tool instead' },
  context_management: notServed,
  container: notServed,
  mcp_servers: notServed,
  inference_geo: notServed,
  speed: notServed,
  web_search_options: { unsupported: 'not served by Bedrock' },
  prompt_cache_key: { unsupported: 'the service caches where cache_control is set' },
  guardrailConfig: object('guardrailConfig'),
  guardrail_config: object('guardrailConfig'),
  performanceConfig: object('performanceConfig'),
  performance_config: object('performanceConfig'),
  promptVariables: object('promptVariables'),
  additionalModelResponseFieldPaths: { to: 'additionalModelResponseFieldPaths' },
};

const vendors = ['additionalModelRequestFields', 'additional_model_request_fields'] as const;

/** Places of a parameter in the fields of the model's vendor. */
const vendorPlaces = (...names: readonly string[]): string[] => vendors.flatMap((field) => names.map((name) => `${field}.${name}`));

/** Places in which a request may have the same parameter. */
export const equivalentPaths: readonly SameMeaning[] = [
  {
    places: [
      'reasoning_effort',
      'thinking',
      'output_config.effort',
      'outputConfig.effort',
      ...vendorPlaces('thinking', 'reasoning_effort', 'reasoningConfig', 'output_config.effort'),
    ],
    agree: thinkingAgrees,
  },
  { places: ['top_k', ...vendorPlaces('top_k', 'topK', 'k', 'inferenceConfig.topK')] },
  { places: ['tools', ...vendorPlaces('tools')] },
  { places: ['tool_choice', ...vendorPlaces('tool_choice')] },
  { places: ['response_format', 'outputConfig.textFormat'] },
];

const tiers: ReadonlySet<unknown> = new Set(['priority', 'default', 'flex', 'reserved']);

/** OpenAI's tier names are also the service's. `auto` is omitted, because it is the default. */
function serviceTier(value: unknown, { drops }: { readonly drops: Drops }): unknown {
  if (tiers.has(value)) return { type: value };
  if (isJsonObject(value)) return value;
  if (value !== 'auto') drops.add('service_tier', 'the service has no such tier');
  return undefined;
}

/** Limits of Converse API, RequestMetadata: number of entries, and allowed characters. */
const maxEntries = 16;
const allowed = /^[a-zA-Z0-9\s:_@$#=/+,.-]{0,256}$/;

/** Collects labels and metadata for `requestMetadata`, by which the service's invocation log can be searched. */
export function requestMetadata(body: JsonObject, drops: Drops): JsonObject | undefined {
  // A map, because a key may be __proto__.
  const found = new Map<string, string>();
  for (const field of ['requestMetadata', 'labels', 'metadata'] as const) {
    const entries = isJsonObject(body[field]) ? Object.entries(body[field]) : [];
    for (const [key, value] of entries) {
      const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
      if (typeof text !== 'string' || key === '' || !allowed.test(key) || !allowed.test(text))
        drops.add(
          `${field}.${key.slice(0, 100)}`,
          'the service accepts at most 256 letters, digits, spaces and the characters :_@$#=/+,.-',
        );
      else if (!found.has(key) && found.size >= maxEntries) drops.add(`${field}.${key}`, `the service accepts ${maxEntries} entries`);
      else if (!found.has(key)) found.set(key, text);
    }
  }
  return found.size === 0 ? undefined : Object.fromEntries(found);
}

/** Reads one stop sequence or a list. Empty ones are dropped, and those of white space, which models of Anthropic reject. */
export function stopSequences(body: JsonObject, isClaude: boolean, drops: Drops): readonly unknown[] | undefined {
  const value = body['stop_sequences'] ?? body['stop'];
  if (JSON.stringify(body['stop'] ?? value) !== JSON.stringify(value)) drops.add('stop', 'stop_sequences is sent instead');
  const given: readonly unknown[] = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  const stops = given.filter((one) => typeof one === 'string' && (isClaude ? one.trim() : one) !== '');
  if (stops.length < given.length) drops.add('stop', 'the service rejects empty stop sequences');
  return stops.length === 0 ? undefined : stops;
}
