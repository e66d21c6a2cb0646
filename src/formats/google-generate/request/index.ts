import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Call, Dropped, SameMeaning } from '../../../core/provider.ts';
import { audioFormat } from '../response/audio.ts';
import { toConversation } from './contents.ts';
import { type GenerateConversion, type GeminiOptions, hasAny, oneOf } from './conversion.ts';
import { Drops, hiddenIfStrict, notSupported } from '../../shared/request/drops.ts';
import { Position } from '../../shared/request/position.ts';
import { generationFields, equivalentGenerationPaths, toGenerationConfig } from './generation-config.ts';
import { geminiTraitsOf } from '../model.ts';
import { toToolConfig } from './tools/choice.ts';
import { toServedTools } from './tools/index.ts';
import { checkChatTypes } from '../../shared/request/field-types.ts';

/** A request in the service's form, and the parameters that were dropped. */
export interface ServedRequest {
  readonly body: JsonObject;
  readonly dropped: readonly Dropped[];
}

/** The parts of a call that the conversion of a request depends on. */
export type RequestCall = Pick<Call, 'model' | 'media' | 'strict' | 'showsReasoning' | 'isTranslated'>;

/** Fields that are sent under the service's own name. */
const passThroughFields: readonly (readonly [name: string, spellings: readonly string[]])[] = [
  ['safetySettings', ['safety_settings', 'safetySettings']],
  ['cachedContent', ['cached_content', 'cachedContent']],
  ['modelArmorConfig', ['model_armor_config', 'modelArmorConfig']],
];

const passThroughNames: ReadonlySet<string> = new Set(passThroughFields.flatMap(([, aliases]) => aliases));

/** Fields that the gateway itself uses, or that are converted elsewhere. */
const handled: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'web_search_options',
  'labels',
  'extra_body',
  'service_tier',
  'parallel_tool_calls',
  ...generationFields,
  ...passThroughNames,
]);

/** Places in which a request may have the same parameter, including those of `extra_body.google`. */
export const equivalentPaths: readonly SameMeaning[] = [
  ...equivalentGenerationPaths,
  ...passThroughFields.map(([, aliases]) => ({ places: aliases })),
  { places: ['stop', 'stop_sequences'] },
  { places: ['tools', 'functions'] },
  { places: ['tool_choice', 'function_call'] },
].map(({ places, ...rest }) => ({ ...rest, places: [...places, ...places.map((place) => `extra_body.google.${place}`)] }));

/**
 * Converts a chat completion request to a `generateContent` body. Model and streaming are part of the URL. The input is not
 * changed.
 *
 * @throws GatewayError if content cannot be converted
 */
export function toGenerateContent(chat: JsonObject, call: RequestCall, options: GeminiOptions): ServedRequest {
  const body = withExtra(chat);
  checkChatTypes(body);
  const showsThoughts = call.showsReasoning === true;
  const drops = new Drops();
  const conversion: GenerateConversion = {
    options,
    traits: geminiTraitsOf(call.model),
    media: call.media,
    drops,
    position: new Position(call.isTranslated),
    details: new Set(),
    showsThoughts,
  };
  const { systemInstruction, contents } = toConversation(body['messages'], conversion);
  const tools = toServedTools(body, conversion);
  const toolConfig = toToolConfig(body, tools, conversion);
  const generationConfig = toGenerationConfig(body, conversion);
  audioFormat(body, conversion.drops);
  reportDropped(body, conversion);
  if (call.strict) reportHidden(generationConfig, conversion);
  const out: Record<string, unknown> = {};
  if (systemInstruction !== undefined) out['systemInstruction'] = systemInstruction;
  out['contents'] = contents;
  if (tools.tools.length > 0) out['tools'] = tools.tools;
  if (toolConfig !== undefined) out['toolConfig'] = toolConfig;
  if (Object.keys(generationConfig).length > 0) out['generationConfig'] = generationConfig;
  if (hasAny(body, passThroughNames)) passFields(body, out);
  const labels = labelsOf(body, conversion);
  if (labels !== undefined) out['labels'] = labels;
  const tier = tierOf(body['service_tier'], conversion);
  if (tier !== undefined) out['serviceTier'] = tier;
  return { body: out, dropped: drops.list };
}

/** Merges `extra_body.google`, which the service's own OpenAI endpoint supports. The body's own fields take precedence. */
function withExtra(body: JsonObject): JsonObject {
  const extra = body['extra_body'];
  const google = isJsonObject(extra) ? extra['google'] : undefined;
  return isJsonObject(google) ? { ...google, ...body } : body;
}

function passFields(body: JsonObject, out: Record<string, unknown>): void {
  for (const [name, aliases] of passThroughFields) {
    const value = oneOf(body, aliases);
    if (value !== undefined) out[name] = value;
  }
}

function labelsOf(body: JsonObject, { options, drops }: GenerateConversion): JsonObject | undefined {
  const labels = body['labels'];
  if (labels === undefined || labels === null || (isJsonObject(labels) && Object.keys(labels).length === 0)) return undefined;
  if (options.surface === 'vertex' && isJsonObject(labels)) return labels;
  drops.add('labels', isJsonObject(labels) ? 'rejected by this service' : 'not an object');
  return undefined;
}

/** Tiers of the API-key endpoint (Gemini API, "Gemini API optimization and inference"). Vertex AI has a header for them. */
const tiers: ReadonlySet<unknown> = new Set(['flex', 'priority', 'standard']);

function tierOf(tier: unknown, { options, drops }: GenerateConversion): unknown {
  if (tier === undefined || tier === null || tier === 'auto' || tier === 'default') return undefined;
  if (options.surface === 'developer' && tiers.has(tier)) return tier;
  drops.add('service_tier', options.surface === 'vertex' ? notSupported : 'the service has no such tier');
  return undefined;
}

/** Reports requested parts of the response that are returned only with strict compliance off. */
function reportHidden({ thinkingConfig, responseModalities }: JsonObject, { drops, showsThoughts }: GenerateConversion): void {
  if (isJsonObject(thinkingConfig) && thinkingConfig['includeThoughts'] === true && !showsThoughts)
    drops.add('content_blocks.thinking', hiddenIfStrict);
  if (Array.isArray(responseModalities) && responseModalities.includes('IMAGE')) drops.add('content_blocks.image_url', hiddenIfStrict);
}

const extraMembers: ReadonlySet<string> = new Set(['google']);

/** Reports unknown fields. They are not sent, because the service rejects them. */
function reportDropped(body: JsonObject, { drops }: GenerateConversion): void {
  for (const key in body) {
    if (!handled.has(key) && body[key] !== undefined && body[key] !== null) drops.add(key);
  }
  if (isJsonObject(body['extra_body'])) drops.addUnread(body['extra_body'], extraMembers, 'extra_body.');
  if (body['parallel_tool_calls'] === false) drops.add('parallel_tool_calls', 'this service decides by itself');
  if (body['top_logprobs'] !== undefined && body['top_logprobs'] !== null && body['logprobs'] !== true)
    drops.add('top_logprobs', 'logprobs is not true');
}
