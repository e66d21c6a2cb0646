import { isJsonObject, type JsonObject } from '../../../../core/json/merge.ts';
import type { Block, MessagesConversion } from '../conversion.ts';
import { strictSchema } from '../schema/strict-schema.ts';
import type { Turn } from '../turns.ts';
import { objectOf, objectsIn, stringOf } from '../../../shared/json.ts';
import { isNonFunctionTool, isSearchTool, missingToolReason, responsesTools } from '../../../shared/request/tools.ts';

/** Members of a tool that the API supports besides name, description and schema. */
const retainedMembers = ['cache_control', 'defer_loading', 'input_examples', 'allowed_callers', 'eager_input_streaming'] as const;

/** The fields for the available tools and for the choice between them. */
export interface ToolFields {
  readonly tools?: readonly Block[];
  readonly tool_choice?: Block;
}

/** Converts `tools`, `tool_choice`, `parallel_tool_calls`, and the legacy `functions` and `function_call`. */
export function toolFields(body: JsonObject, turns: readonly Turn[], conversion: MessagesConversion): ToolFields {
  const tools = toolsOf(body, conversion);
  const requested = requestedChoice(body, tools, conversion);
  if (tools.length === 0) {
    const used = namesUsed(turns);
    // The API requires a definition of every tool in the history. The request offers no tools, so none may be called.
    return used.length === 0 ? {} : { tools: used.map((name) => ({ name, input_schema: anyObject })), tool_choice: { type: 'none' } };
  }
  const allowed = allowedNames(body['tool_choice']);
  const chosen = allowed === undefined ? tools : tools.filter((tool) => allowed.has(stringOf(tool['name'])) || isSearch(tool, body));
  const choice = withParallel(withoutForcedTool(requested, conversion), parallelOf(body));
  return { tools: chosen.length === 0 ? tools : chosen, ...(choice === undefined ? {} : { tool_choice: choice }) };
}

/** Returns the choice of the client. Reports one that is not known, or that names none of the tools. */
function requestedChoice(body: JsonObject, tools: readonly Block[], { drops }: MessagesConversion): Block | undefined {
  const given = body['tool_choice'] ?? legacyChoice(body['function_call']) ?? undefined;
  const choice = choiceOf(given);
  const allowed = allowedNames(given);
  const isTool = choice?.['type'] === 'tool';
  const isForced = isTool || choice?.['type'] === 'any';
  const isMissing =
    allowed === undefined
      ? isTool && tools.every(({ name }) => name !== choice['name']) && isNonFunctionTool(body['tools'], choice['name'])
      : !tools.some(({ name }) => allowed.has(stringOf(name)));
  if (given !== undefined && choice === undefined) drops.add('tool_choice');
  else if (isForced && tools.length === 0) drops.add('tool_choice', 'the request has no tool that it could choose');
  else if (isMissing) drops.add('tool_choice', missingToolReason);
  else return choice;
  return undefined;
}

/** Web search is requested outside of `tools`, so `allowed_tools` does not apply to it. */
const isSearch = ({ type }: Block, body: JsonObject): boolean => type === searchType && isJsonObject(body['web_search_options']);

const searchType = 'web_search_20250305';

const anyObject = { type: 'object', properties: {} };
const closedObject = { ...anyObject, additionalProperties: false };

/** True for a schema with keywords that the API rejects in strict tools. */
const isRejected = (schema: JsonObject): boolean => rejected.test(JSON.stringify(schema));
const rejected =
  /"(?:minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf|minLength|maxLength|maxItems|uniqueItems|minProperties|maxProperties)":/;

function toolsOf(body: JsonObject, conversion: MessagesConversion): Block[] {
  const tools: Block[] = [];
  for (const tool of objectsIn(body['tools'])) {
    const converted = toolOf(tool, conversion);
    if (converted !== undefined) tools.push(converted);
  }
  for (const fn of objectsIn(body['functions'])) tools.push(functionTool(fn, {}, conversion));
  if (isJsonObject(body['web_search_options'])) tools.push(webSearch(body['web_search_options'], conversion));
  return tools;
}

function toolOf(tool: JsonObject, conversion: MessagesConversion): Block | undefined {
  const { type } = tool;
  const fn = tool['function'];
  if (isSearchTool(tool)) {
    conversion.drops.add(`tools[].${String(isJsonObject(fn) ? fn['name'] : type)}`, 'only another service has this search tool');
    return undefined;
  }
  if (isJsonObject(fn)) return functionTool(fn, tool, conversion);
  if (type === 'custom' && isJsonObject(tool['custom'])) {
    conversion.drops.add('tools[].custom', 'this service has no tools with free text input');
    return undefined;
  }
  if (isForeign(tool)) {
    conversion.drops.add(`tools[].${stringOf(type) || (Object.keys(tool)[0] ?? 'type')}`, 'only another service has this tool');
    return undefined;
  }
  return nativeTool(tool);
}

/** Tools of Gemini and of OpenAI that the service runs. The API's own ones have a date in their names. */
const foreignTools: ReadonlySet<unknown> = new Set([
  'google_maps',
  'url_context',
  'enterprise_web_search',
  'retrieval',
  'computer_use',
  'code_execution',
  'file_search',
  ...responsesTools,
]);

/** True for such a tool, also in the form of Gemini's own API. `{type: T, T: {…}}` is the compatible form of the API's tools. */
function isForeign({ type, name, input_schema: schema, ...rest }: JsonObject): boolean {
  if (type === undefined) return name === undefined && schema === undefined;
  return foreignTools.has(type) && !isJsonObject(rest[stringOf(type)]);
}

const toolMembers: ReadonlySet<string> = new Set(['type', 'function', ...retainedMembers]);
const functionMembers: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'strict', ...retainedMembers]);

/** The schema is sent whole, unless a strict tool has keywords that the API does not enforce: it rejects them. */
function functionTool(fn: JsonObject, tool: JsonObject, conversion: MessagesConversion): Block {
  const { drops } = conversion;
  drops.addUnread(fn, functionMembers, 'tools[].function.');
  drops.addUnread(tool, toolMembers, 'tools[].');
  const out: Block = { name: fn['name'] };
  if (typeof fn['description'] === 'string') out['description'] = fn['description'];
  const isStrict = fn['strict'] === true && mayBeStrict(conversion);
  if (!isJsonObject(fn['parameters'] ?? anyObject)) drops.add('tools[].function.parameters', 'not an object');
  const given = isJsonObject(fn['parameters']) ? fn['parameters'] : isStrict ? closedObject : anyObject;
  const parameters = isStrict && isRejected(given) ? strictSchema(given, drops, 'tools[].function.parameters.') : given;
  out['input_schema'] = parameters['type'] === 'object' ? parameters : { ...parameters, type: 'object' };
  if (isStrict) out['strict'] = true;
  for (const key of retainedMembers) {
    const value = tool[key] ?? fn[key];
    if (value !== undefined) out[key] = value;
  }
  return out;
}

/** False for models and services that reject strict tools. */
function mayBeStrict({ surface, traits, drops }: MessagesConversion): boolean {
  if (surface !== 'vertex' && traits.structured) return true;
  drops.add('tools[].function.strict', surface === 'vertex' ? 'not served by Vertex AI' : 'this model has no strict tools');
  return false;
}

/**
 * Converts tools that the service runs or defines itself. `{type: T, T: {…}}` is the compatible form, in which the dated name is
 * T or the inner `name`. A tool in the API's own form is passed unchanged.
 */
function nativeTool(tool: JsonObject): Block {
  const type = stringOf(tool['type']);
  const inner = tool[type];
  if (!isJsonObject(inner)) return tool;
  const { [type]: _inner, ...rest } = tool;
  const { name } = inner;
  if (typeof name === 'string' && dated.test(name) && !dated.test(type)) return { ...rest, ...inner, type: name, name: type };
  return { ...rest, ...inner, type };
}

const dated = /_\d{8}$/;

const searchMembers: ReadonlySet<string> = new Set(['user_location']);
const noMembers: ReadonlySet<string> = new Set();

function webSearch(options: JsonObject, { drops }: MessagesConversion): Block {
  const { approximate: place } = objectOf(options['user_location']);
  drops.addUnread(options, isJsonObject(place) ? searchMembers : noMembers, 'web_search_options.');
  const userLocation = isJsonObject(place) ? { user_location: { type: 'approximate', ...place } } : {};
  return { type: searchType, name: 'web_search', ...userLocation };
}

/** Converts the legacy `function_call: {name}` to a `tool_choice`. */
function legacyChoice(call: unknown): unknown {
  return isJsonObject(call) ? { type: 'function', function: call } : call;
}

function choiceOf(choice: unknown): Block | undefined {
  if (choice === 'required' || choice === 'any') return { type: 'any' };
  if (choice === 'auto' || choice === 'none') return { type: choice };
  if (!isJsonObject(choice)) return undefined;
  const named = isJsonObject(choice['function']) ? choice['function'] : isJsonObject(choice['custom']) ? choice['custom'] : undefined;
  if (named !== undefined) return { type: 'tool', name: named['name'] };
  if (choice['type'] === 'function' && typeof choice['name'] === 'string') return { type: 'tool', name: choice['name'] };
  if (choice['type'] === 'allowed_tools') {
    const inner = isJsonObject(choice['allowed_tools']) ? choice['allowed_tools'] : choice;
    return { type: inner['mode'] === 'required' ? 'any' : 'auto' };
  }
  return ['auto', 'any', 'tool', 'none'].includes(stringOf(choice['type'])) ? choice : undefined;
}

/** Returns the names in `allowed_tools`. Other tools are not offered. */
function allowedNames(choice: unknown): ReadonlySet<string> | undefined {
  if (!isJsonObject(choice) || choice['type'] !== 'allowed_tools') return undefined;
  const inner = isJsonObject(choice['allowed_tools']) ? choice['allowed_tools'] : choice;
  return new Set(objectsIn(inner['tools']).map((tool) => stringOf((isJsonObject(tool['function']) ? tool['function'] : tool)['name'])));
}

/** Replaces a forced tool by `auto` for models that do not support it. */
function withoutForcedTool(choice: Block | undefined, { traits, drops }: MessagesConversion): Block | undefined {
  if (!traits.rejectsForcedTool || (choice?.['type'] !== 'any' && choice?.['type'] !== 'tool')) return choice;
  drops.add('tool_choice', 'this model does not support a forced tool');
  return { type: 'auto' };
}

/** Clients of the legacy `functions` can read only one call. */
const parallelOf = ({ parallel_tool_calls: parallel, functions, tools }: JsonObject): unknown =>
  parallel ?? (Array.isArray(functions) && !Array.isArray(tools) ? false : undefined);

function withParallel(choice: Block | undefined, parallel: unknown): Block | undefined {
  if (parallel !== false || choice?.['type'] === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true };
}

/** Lists the tools that are called in the history. */
function namesUsed(turns: readonly Turn[]): string[] {
  const names = new Set<string>();
  for (const { content } of turns) {
    for (const block of typeof content === 'string' ? [] : content) if (block['type'] === 'tool_use') names.add(String(block['name']));
  }
  return [...names];
}
