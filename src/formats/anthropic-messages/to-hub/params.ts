import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { byFieldRules, type FieldRule, same } from '../../shared/request/field-rules.ts';
import { objectOf } from '../../shared/json.ts';

/** Rules for every field of the messages request. */
const params: Readonly<Record<string, FieldRule>> = {
  messages: 'handled',
  system: 'handled',
  output_config: 'handled',
  output_format: 'handled',
  tools: 'handled',
  tool_choice: 'handled',
  anthropic_beta: 'handled',
  anthropic_version: 'handled',
  vendor_beta: 'handled',
  betas: 'handled',
  model: same('model'),
  max_tokens: { to: 'max_completion_tokens' },
  stream: same('stream'),
  temperature: same('temperature'),
  top_p: same('top_p'),
  top_k: same('top_k'),
  stop_sequences: { to: 'stop', with: (value) => (Array.isArray(value) && value.length > 0 ? value : undefined) },
  thinking: same('thinking'),
  metadata: { to: 'user', with: userOf },
  service_tier: { to: 'service_tier', with: tierOf },
  cache_control: same('cache_control'),
  context_management: same('context_management'),
  container: same('container'),
  mcp_servers: same('mcp_servers'),
  inference_geo: same('inference_geo'),
  speed: same('speed'),
  labels: same('labels'),
  diagnostics: { unsupported: 'only the API itself reports on its cache' },
  user_profile_id: { unsupported: 'only the API itself has profiles' },
  workspace_id: { unsupported: 'only the API itself has workspaces' },
};

/** Applies the rules to all fields of a body. `output_config` and the older `output_format` have two parts and are converted separately. */
export function hubFields(body: JsonObject, drops: Drops): JsonObject {
  return { ...byFieldRules(body, params, 'messages', drops), ...outputFields(body, drops) };
}

/** The API has only the user id in `metadata`. */
function userOf(metadata: unknown, drops: Drops): unknown {
  if (!isJsonObject(metadata)) return undefined;
  drops.addUnread(metadata, userOnly, 'metadata.', 'the API keeps the user id only');
  return metadata['user_id'] ?? undefined;
}

const userOnly: ReadonlySet<string> = new Set(['user_id']);

/** The API's default is also the default of every other service, so it is omitted. */
function tierOf(value: unknown): unknown {
  return value === 'auto' ? undefined : value === 'standard_only' ? 'default' : value;
}

const outputMembers: ReadonlySet<string> = new Set(['effort', 'format']);

function outputFields(body: JsonObject, drops: Drops): JsonObject {
  const config = objectOf(body['output_config']);
  drops.addUnread(config, outputMembers, 'output_config.');
  const effort = config['effort'];
  const format = config['format'] ?? body['output_format'];
  return {
    ...(typeof effort === 'string' ? { reasoning_effort: effort } : {}),
    ...(isJsonObject(format) ? { response_format: responseFormat(format, drops) } : {}),
  };
}

const formatMembers: ReadonlySet<string> = new Set(['type', 'schema', 'name']);

/** The API always enforces the schema. Services of the chat format require a name for it. */
function responseFormat(format: JsonObject, drops: Drops): JsonObject {
  if (format['type'] !== 'json_schema') return format;
  drops.addUnread(format, formatMembers, 'output_config.format.');
  const { schema, name } = format;
  return { type: 'json_schema', json_schema: { name: typeof name === 'string' ? name : 'response', schema, strict: true } };
}
