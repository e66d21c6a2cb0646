import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { listOf, objectOf } from '../../shared/json.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { byFieldRules, type FieldRule, same } from '../../shared/request/field-rules.ts';

/** Rules for every field of the request. */
const params: Readonly<Record<string, FieldRule>> = {
  input: 'handled',
  instructions: 'handled',
  tools: 'handled',
  tool_choice: 'handled',
  reasoning: 'handled',
  text: 'handled',
  include: 'handled',
  top_logprobs: 'handled',
  stream_options: 'handled',
  metadata: 'handled',
  previous_response_id: 'handled',
  conversation: 'handled',
  prompt: 'handled',
  background: 'handled',
  model: same('model'),
  stream: same('stream'),
  max_output_tokens: { to: 'max_completion_tokens' },
  temperature: same('temperature'),
  top_p: same('top_p'),
  parallel_tool_calls: same('parallel_tool_calls'),
  service_tier: same('service_tier'),
  user: same('user'),
  safety_identifier: same('safety_identifier'),
  prompt_cache_key: same('prompt_cache_key'),
  prompt_cache_retention: same('prompt_cache_retention'),
  store: { unsupported: 'this provider stores no responses', default: false },
  truncation: { unsupported: 'this provider does not shorten the input', default: 'disabled' },
  max_tool_calls: { unsupported: 'only OpenAI limits the calls of its tools' },
  context_management: { unsupported: 'only OpenAI compacts the input' },
  moderation: { unsupported: 'only OpenAI moderates in this API' },
  // Not fields of the API. Configurations set them in `override_params`.
  labels: same('labels'),
  thinking: same('thinking'),
  cache_control: same('cache_control'),
  stop: same('stop'),
  seed: same('seed'),
  top_k: same('top_k'),
  frequency_penalty: same('frequency_penalty'),
  presence_penalty: same('presence_penalty'),
};

/** Applies the rules to all fields of a body. */
export function hubFields(body: JsonObject, drops: Drops): JsonObject {
  return {
    ...byFieldRules(body, params, 'responses', drops),
    ...includedFields(body, drops),
    ...effortOf(body['reasoning'], drops),
    ...textFields(body['text'], drops),
  };
}

const logprobs = 'message.output_text.logprobs';

/** Encrypted reasoning is always in the response. */
const included: ReadonlySet<unknown> = new Set(['reasoning.encrypted_content', logprobs]);

/** The API returns log probabilities only if `include` lists them. */
function includedFields({ include, top_logprobs: top }: JsonObject, drops: Drops): JsonObject {
  const parts = listOf(include);
  if (parts.some((one) => !included.has(one))) drops.add('include', 'only OpenAI has these parts');
  const hasTop = top !== undefined && top !== null && top !== 0;
  if (parts.includes(logprobs)) return { logprobs: true, ...(hasTop ? { top_logprobs: top } : {}) };
  if (hasTop) drops.add('top_logprobs', `"include" does not list "${logprobs}"`);
  return {};
}

/** Summaries are not requested: the response has the reasoning that the service shows. */
const reasoningMembers: ReadonlySet<string> = new Set(['effort', 'summary', 'generate_summary']);

function effortOf(reasoning: unknown, drops: Drops): JsonObject {
  const given = objectOf(reasoning);
  drops.addUnread(given, reasoningMembers, 'reasoning.');
  const { effort } = given;
  return effort === undefined || effort === null ? {} : { reasoning_effort: effort };
}

const textMembers: ReadonlySet<string> = new Set(['format', 'verbosity']);
const formatMembers: ReadonlySet<string> = new Set(['type', 'name', 'description', 'schema', 'strict']);

function textFields(text: unknown, drops: Drops): JsonObject {
  const given = objectOf(text);
  drops.addUnread(given, textMembers, 'text.');
  const { format, verbosity } = given;
  return {
    ...(verbosity === undefined || verbosity === null ? {} : { verbosity }),
    ...(isJsonObject(format) ? { response_format: responseFormat(format, drops) } : {}),
  };
}

/** A schema is beside the type here, and in a member of its own in chat completions. */
function responseFormat(format: JsonObject, drops: Drops): JsonObject {
  if (format['type'] !== 'json_schema') return format;
  drops.addUnread(format, formatMembers, 'text.format.');
  const { type, ...schema } = format;
  return { type, json_schema: withoutNulls(schema) };
}

const withoutNulls = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined));

/** Members that a response repeats from its request, with the API's defaults. */
const echoed: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  reasoning: { effort: null, summary: null },
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: null,
  truncation: 'disabled',
  user: null,
};

export const echoedFields = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(echoed).map(([key, byDefault]) => [key, body[key] ?? byDefault]));
