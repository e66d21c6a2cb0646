import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Call, Dropped, Media, MediaNeed, SameMeaning } from '../../../core/provider.ts';
import { Drops } from '../../shared/request/drops.ts';
import { Position } from '../../shared/request/position.ts';
import { conversationOf } from './conversation.ts';
import type { Block, MessagesConversion, ClaudeSurface } from './conversion.ts';
import { needsDownload } from './media/files.ts';
import { claudeTraitsOf } from './model.ts';
import { outputFormat } from './schema/output-format.ts';
import { applyFieldRules } from './params.ts';
import { fileIn } from './parts.ts';
import { samplingFields, thinkingFields } from './thinking.ts';
import { toolFields } from './tools/index.ts';
import { checkChatTypes } from '../../shared/request/field-types.ts';
import { objectOf, objectsIn, stringOf } from '../../shared/json.ts';
import { jsonInstruction } from '../../shared/request/json-instruction.ts';

/** Options for the conversion of a chat request to a messages request. */
export interface MessagesOptions {
  /** Downloaded files, by URL. */
  readonly media: ReadonlyMap<string, Media>;
  /** Vertex AI's form: the body contains the version instead of the model, and only fields that Vertex AI accepts. */
  readonly vertex?: { readonly version: string };
  /** `max_tokens` if the client sets none. The API requires it. */
  readonly maxTokens?: number;
  /** Top-level fields that are sent in another way and therefore not reported as dropped. */
  readonly handled?: readonly string[];
}

/** A messages request, and the parts of the chat request that it does not contain. */
export interface MessagesRequest {
  readonly body: JsonObject;
  readonly dropped: readonly Dropped[];
  /** Beta features of the API that it needs, for the header. */
  readonly betas: readonly string[];
}

/** Every model of the API supports responses of this length. */
const defaultMaxTokens = 4096;

/** In bytes. The API's limit for a request is 32 MB, and base64 adds a third to the size of a file. */
const maxFileBytes = 22 * 1024 * 1024;

const none: readonly string[] = [];

/**
 * Converts a chat completions body to a messages body.
 *
 * @throws GatewayError `invalid_type`, `unsupported_parameter`, `missing_file_extension`
 */
export function toMessages(
  body: JsonObject,
  call: Pick<Call, 'model' | 'stream' | 'foundationModel' | 'showsReasoning' | 'isTranslated'> & Partial<Pick<Call, 'strict'>>,
  options: MessagesOptions,
): MessagesRequest {
  checkChatTypes(body);
  const drops = new Drops();
  const surface: ClaudeSurface = options.vertex === undefined ? 'direct' : 'vertex';
  const conversion: MessagesConversion = {
    surface,
    position: new Position(call.isTranslated),
    media: options.media,
    traits: claudeTraitsOf(call.foundationModel ?? call.model),
    drops,
    offered: offeredTools(body),
    betas: new Set(),
    programs: new Map(),
  };
  const { system, messages } = conversationOf(body['messages'], conversion);
  const ownTools = toolFields(body, messages, conversion);
  const answer = outputFormat(body, ownTools, conversion);
  const tools = answer.tools ?? ownTools;
  const choice = tools.tool_choice?.['type'];
  const facts = {
    turns: messages,
    forcesTool: choice === 'any' || choice === 'tool',
    forcesOutput: answer.tools !== undefined,
    maxTokens: options.maxTokens ?? defaultMaxTokens,
    showsThoughts: call.showsReasoning === true,
    isStrict: call.strict === true,
  };
  const { effort, ...length } = thinkingFields(body, facts, conversion);
  const instructions = wantsJson(body) ? [...system, jsonOnly] : system;
  const output = outputConfig(body, effort, answer.format);
  const out: Block = options.vertex === undefined ? { model: call.model } : { anthropic_version: options.vertex.version };
  Object.assign(out, length);
  if (instructions.length > 0) out['system'] = instructions;
  out['messages'] = messages;
  Object.assign(out, tools, samplingFields(body, length.thinking, conversion));
  if (output !== undefined) out['output_config'] = output;
  Object.assign(out, userFields(body, conversion), applyFieldRules(body, conversion, options.handled ?? none));
  if (call.stream) out['stream'] = true;
  return { body: out, dropped: drops.list, betas: [...conversion.betas] };
}

/** Collects the API's own tools in a request, by the names that their steps have. */
function offeredTools(body: JsonObject): ReadonlySet<string> {
  const offered = new Set<string>();
  for (const tool of objectsIn(body['tools'])) {
    const toolText = JSON.stringify([tool['type'], tool['name'], objectOf(tool[stringOf(tool['type'])])]);
    if (toolText.includes('tool_search')) offered.add('tool_search');
    if (toolText.includes('code_execution')) for (const name of codeTools) offered.add(name);
    if (toolText.includes('advisor')) offered.add('advisor');
  }
  for (const server of objectsIn(body['mcp_servers'])) offered.add(`mcp:${stringOf(server['name'])}`);
  return offered;
}

const codeTools = ['code_execution', 'bash_code_execution', 'text_editor_code_execution'] as const;

/** Lists the files to download and inline, each once. */
export function mediaNeeds(body: JsonObject, surface: ClaudeSurface): readonly MediaNeed[] {
  const urls = new Set<string>();
  for (const message of objectsIn(body['messages'])) {
    const { content, role } = message;
    if (role === 'assistant' || role === 'system' || role === 'developer' || !Array.isArray(content)) continue;
    for (const part of content.filter(isJsonObject)) {
      const inner = part['type'] === 'tool_result' && Array.isArray(part['content']) ? part['content'].filter(isJsonObject) : [part];
      for (const one of inner) {
        const file = fileIn(one);
        if (file !== undefined && needsDownload(file, surface)) urls.add(file.url);
      }
    }
  }
  return [...urls].map((url) => ({ url, maxBytes: maxFileBytes }));
}

/** The API has no JSON mode without a schema, so the model is instructed. */
export const jsonOnly: Block = Object.freeze({ type: 'text', text: jsonInstruction });

export const wantsJson = (body: JsonObject): boolean =>
  isJsonObject(body['response_format']) && body['response_format']['type'] === 'json_object';

/** Builds `effort` and `format`. Values that the client wrote in the API's own form take precedence. */
function outputConfig(body: JsonObject, effort: string | undefined, format: JsonObject | undefined): JsonObject | undefined {
  const own = isJsonObject(body['output_config']) ? body['output_config'] : undefined;
  if (own === undefined && effort === undefined && format === undefined) return undefined;
  return { ...(effort === undefined ? {} : { effort }), ...(format === undefined ? {} : { format }), ...own };
}

/** Places of the user id. */
export const equivalentPaths: readonly SameMeaning[] = [{ places: ['user', 'safety_identifier', 'metadata.user_id'] }];

/** The API accepts only the user id in `metadata`. */
function userFields(body: JsonObject, { drops }: MessagesConversion): JsonObject {
  const metadata = objectOf(body['metadata']);
  const user = metadata['user_id'] ?? body['user'] ?? body['safety_identifier'] ?? undefined;
  for (const key of Object.keys(metadata)) if (key !== 'user_id') drops.add(`metadata.${key}`, 'the service keeps the user id only');
  for (const key of ['user', 'safety_identifier']) {
    const other = body[key] ?? user;
    if (other !== user) drops.add(key, 'the service keeps one user id');
  }
  return user === undefined ? {} : { metadata: { user_id: user } };
}
