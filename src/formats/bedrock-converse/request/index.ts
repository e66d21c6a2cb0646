import { conversationOf } from '../../anthropic-messages/request/conversation.ts';
import type { Block, MessagesConversion } from '../../anthropic-messages/request/conversion.ts';
import { jsonOnly, wantsJson } from '../../anthropic-messages/request/index.ts';
import { outputFormat } from '../../anthropic-messages/request/schema/output-format.ts';
import { applyFieldRules } from '../../anthropic-messages/request/params.ts';
import { samplingFields, type ThinkingFacts } from '../../anthropic-messages/request/thinking.ts';
import { type ToolFields, toolFields } from '../../anthropic-messages/request/tools/index.ts';
import type { Turn } from '../../anthropic-messages/request/turns.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Call, Dropped, Media } from '../../../core/provider.ts';
import { Drops } from '../../shared/request/drops.ts';
import { Position } from '../../shared/request/position.ts';
import { checkChatTypes } from '../../shared/request/field-types.ts';
import { type BlockContext, blocksOf, converseMessages } from './blocks.ts';
import { converseParams, requestMetadata, stopSequences } from './fields.ts';
import { converseBlockOf } from './files.ts';
import { type Family, familyOf } from './model.ts';
import { converseThinking } from './thinking.ts';
import { converseTools } from './tools.ts';
import { objectOf } from '../../shared/json.ts';

export { mediaNeeds } from './files.ts';

/** Options for the conversion of a chat request to a Converse request. */
export interface ConverseOptions {
  /** Downloaded files, by URL. */
  readonly media: ReadonlyMap<string, Media>;
  /** Beta features of Anthropic models, requested by the client or set for the provider. */
  readonly betas?: readonly string[];
  /** `maxTokens` if the client sets none. If undefined, the model's own limit applies. */
  readonly maxTokens?: number | undefined;
  /** Request fields set for the provider, used if the client does not set them. */
  readonly defaults?: JsonObject;
}

/** A Converse request, and the parts of the chat request that it does not contain. */
export interface ConverseRequest {
  readonly body: JsonObject;
  readonly dropped: readonly Dropped[];
}

const noTools: ReadonlySet<string> = new Set();

/** Tokens added to a thinking budget if no limit is set. */
const usualMaxTokens = 4096;

/**
 * Converts a chat completions body to a body of Converse and ConverseStream. The conversation is first converted to the form of
 * the messages API, whose rules for turns, results and signed reasoning also apply to Converse.
 *
 * @throws GatewayError `invalid_type`, `unsupported_parameter`
 */
export function toConverse(
  body: JsonObject,
  call: Pick<Call, 'model' | 'foundationModel' | 'showsReasoning' | 'isTranslated'> & Partial<Pick<Call, 'strict'>>,
  options: ConverseOptions,
): ConverseRequest {
  checkChatTypes(body);
  const drops = new Drops();
  const family = familyOf(call.foundationModel ?? call.model);
  const names = new Map<string, number>();
  const { media } = options;
  const conversion: MessagesConversion = {
    surface: 'converse',
    position: new Position(call.isTranslated),
    media,
    traits: family.traits,
    rejectsThinking: family.rejectsThinking === true,
    drops,
    offered: noTools,
    betas: new Set(options.betas),
    programs: new Map(),
    convertPart: (part) => converseBlockOf(part, { media }, names),
  };
  const to: BlockContext = { drops, caches: family.caches };
  const { system, messages } = conversationOf(body['messages'], conversion);
  const ownTools = toolFields({ ...body, web_search_options: undefined }, messages, conversion);
  const answer = outputFormat(body, ownTools, conversion);
  const tools = answer.tools ?? ownTools;
  const choice = tools.tool_choice?.['type'];
  const limit = body['max_completion_tokens'] ?? body['max_tokens'] ?? options.maxTokens;
  if ((body['max_tokens'] ?? limit) !== limit) drops.add('max_tokens', 'max_completion_tokens is sent instead');
  const facts = {
    turns: messages,
    forcesTool: choice === 'any' || choice === 'tool',
    forcesOutput: answer.tools !== undefined,
    maxTokens: usualMaxTokens,
    showsThoughts: call.showsReasoning === true,
    isStrict: call.strict === true,
  };
  const converted: ConvertedParts = { conversion, family, to, turns: messages, tools, format: answer.format, facts };
  const out = {
    ...options.defaults,
    messages: converseMessages(messages, to),
    ...systemField(system, answer.instruction, body, to),
    ...settingFields(body, limit, converted),
  };
  return { body: out, dropped: drops.list };
}

/** The already converted parts of a request. */
interface ConvertedParts {
  readonly conversion: MessagesConversion;
  readonly family: Family;
  readonly to: BlockContext;
  readonly turns: readonly Turn[];
  readonly tools: ToolFields;
  readonly format: JsonObject | undefined;
  readonly facts: ThinkingFacts;
}

function systemField(system: readonly Block[], instruction: string | undefined, body: JsonObject, to: BlockContext): JsonObject {
  const json = instruction === undefined ? (wantsJson(body) ? jsonOnly : undefined) : { type: 'text', text: instruction };
  const instructions = json === undefined ? system : [...system, json];
  return nonEmpty('system', blocksOf(instructions, to));
}

/** Builds all fields except the conversation. */
function settingFields(
  body: JsonObject,
  maxTokens: unknown,
  { conversion, family, to, turns, tools, format, facts }: ConvertedParts,
): JsonObject {
  const { drops } = to;
  const thought = converseThinking(body, facts, family, conversion);
  const { top_k: topK, temperature, top_p: topP } = samplingFields(body, thought.thinking, conversion);
  const sized =
    thought.rejectsLimits === true ? withoutLimits({ maxTokens, temperature, topP }, body, drops) : { maxTokens, temperature, topP };
  const oneCall = body['parallel_tool_calls'] === false;
  const asksNone = (body['tool_choice'] ?? body['function_call']) === 'none';
  const { toolConfig, own: toolsOwn } = converseTools(tools, { turns, family, oneCall, asksNone }, to);
  const effort = thought.effort === undefined ? {} : { effort: thought.effort };
  const ownFields = {
    ...betasField(conversion.betas, family.isClaude, drops),
    ...topKField(topK, family.topK, drops),
    ...thought.own,
    ...toolsOwn,
    ...ownObject(body, 'additionalModelRequestFields'),
  };
  const metadata = requestMetadata(body, drops);
  return {
    ...nonEmpty('inferenceConfig', present({ ...sized, stopSequences: stopSequences(body, family.isClaude, drops) })),
    ...(toolConfig === undefined ? {} : { toolConfig }),
    ...nonEmpty('outputConfig', { ...outputOf(format, body), ...effort, ...ownObject(body, 'outputConfig') }),
    ...nonEmpty('additionalModelRequestFields', ownFields),
    ...(metadata === undefined ? {} : { requestMetadata: metadata }),
    ...applyFieldRules(body, conversion, [], converseParams),
  };
}

/** Drops the fields that a model rejects with its highest effort. */
function withoutLimits({ maxTokens, temperature, topP }: JsonObject, body: JsonObject, drops: Drops): JsonObject {
  const limit = (body['max_completion_tokens'] ?? undefined) === undefined ? 'max_tokens' : 'max_completion_tokens';
  for (const [param, value] of Object.entries({ [limit]: maxTokens, temperature, top_p: topP }))
    if ((value ?? undefined) !== undefined) drops.add(param, 'the model rejects it with its highest reasoning effort');
  return {};
}

/** Returns an object that the client wrote in Converse's own format. It overrides converted fields. */
function ownObject(body: JsonObject, name: string): JsonObject {
  const value = body[name] ?? body[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
  return name === 'outputConfig' && value === body['output_config'] ? {} : objectOf(value);
}

/** Builds the output schema, as text. It comes from `output_config` of the messages API or from the response format. */
function outputOf(format: JsonObject | undefined, body: JsonObject): JsonObject {
  const own = objectOf(body['output_config']);
  const schema = isJsonObject(own['format']) ? own['format']['schema'] : format?.['schema'];
  const effort = typeof own['effort'] === 'string' ? { effort: own['effort'] } : {};
  if (schema === undefined) return effort;
  const wanted = isJsonObject(body['response_format']) ? body['response_format']['json_schema'] : undefined;
  const name = isJsonObject(wanted) && typeof wanted['name'] === 'string' && wanted['name'] !== '' ? { name: wanted['name'] } : {};
  return { ...effort, textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: JSON.stringify(schema), ...name } } } };
}

function betasField(betas: ReadonlySet<string>, isClaude: boolean, drops: Drops): JsonObject {
  if (betas.size === 0) return {};
  if (isClaude) return { anthropic_beta: [...betas] };
  drops.add('anthropic_beta', 'not a model of Anthropic');
  return {};
}

function topKField(value: unknown, path: readonly string[] | undefined, drops: Drops): JsonObject {
  if (value === undefined) return {};
  if (path === undefined) {
    drops.add('top_k', 'not known to this model');
    return {};
  }
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as JsonObject;
}

const present = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== null));

const nonEmpty = (key: string, value: JsonObject | readonly unknown[]): JsonObject =>
  Object.keys(value).length === 0 ? {} : { [key]: value };
