import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { cacheOf } from '../../anthropic-messages/to-hub/cache.ts';
import { objectOf, objectsIn, stringOf, textOf } from '../../shared/json.ts';
import type { Drops } from '../../shared/request/drops.ts';

/**
 * Converts `tools` and `tool_choice` to the form of chat completions. A tool with free text input becomes a function with one
 * parameter, because hardly any other service has such tools; its calls are converted back (to-client/). Tools that OpenAI
 * runs are reported, except the web search.
 */
export function toolFields(body: JsonObject, drops: Drops): JsonObject {
  const tools = objectsIn(body['tools']).flatMap((tool) => toolsOf(tool, drops));
  const choice = choiceOf(body['tool_choice'], drops);
  return { ...(tools.length === 0 ? {} : { tools }), ...(choice === undefined ? {} : { tool_choice: choice }) };
}

const webSearch = /^web_search(?:_preview)?(?:_\d[\d_]*)?$/;

function toolsOf(tool: JsonObject, drops: Drops): readonly JsonObject[] {
  const type = stringOf(tool['type']);
  if (type === 'function') return [functionOf(tool, drops)];
  if (type === 'custom') return [functionOfCustom(tool, drops)];
  if (webSearch.test(type)) return [searchOf(tool, type, drops)];
  drops.add(`tools[].${type === '' ? 'type' : type}`, 'only OpenAI has this tool');
  return [];
}

const functionMembers: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict', 'cache_control']);

function functionOf(tool: JsonObject, drops: Drops): JsonObject {
  drops.addUnread(tool, functionMembers, 'tools[].');
  const { name, description, parameters, strict } = tool;
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      ...(isJsonObject(parameters) ? { parameters } : {}),
      ...(typeof strict === 'boolean' ? { strict } : {}),
    },
    ...cacheOf(tool),
  };
}

const customMembers: ReadonlySet<string> = new Set(['type', 'name', 'description', 'format']);

/** The parameter of a function that stands for a tool with free text input. */
export const customInput = 'input';

/** A grammar cannot be enforced, so the model is told to follow it. */
function functionOfCustom(tool: JsonObject, drops: Drops): JsonObject {
  drops.addUnread(tool, customMembers, 'tools[].');
  const { name, description } = tool;
  const { type, syntax, definition } = objectOf(tool['format']);
  if (type === 'grammar') drops.add('tools[].format', 'described to the model, but not enforced');
  const input = type === 'grammar' ? `Text that follows this ${stringOf(syntax)} grammar:\n${stringOf(definition)}` : 'Text, in any form.';
  const properties = { [customInput]: { type: 'string', description: input } };
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      parameters: { type: 'object', properties, required: [customInput], additionalProperties: false },
    },
  };
}

const filterMembers: ReadonlySet<string> = new Set(['allowed_domains']);
const searchMembers: ReadonlySet<string> = new Set(['type', 'user_location', 'search_context_size', 'filters', 'external_web_access']);

/** The search in the form of the messages API, which each service converts to its own. */
function searchOf(tool: JsonObject, type: string, drops: Drops): JsonObject {
  drops.addUnread(tool, searchMembers, `tools[].${type}.`);
  const { user_location: location, search_context_size: size, filters, external_web_access: isLive } = tool;
  if (size !== undefined && size !== null && size !== 'medium') drops.add(`tools[].${type}.search_context_size`);
  if (isLive === false) drops.add(`tools[].${type}.external_web_access`, 'other services search the web itself');
  drops.addUnread(objectOf(filters), filterMembers, `tools[].${type}.filters.`);
  const domains = objectOf(filters)['allowed_domains'];
  return {
    type: 'web_search_20250305',
    name: 'web_search',
    ...(isJsonObject(location) ? { user_location: location } : {}),
    ...(Array.isArray(domains) && domains.length > 0 ? { allowed_domains: domains } : {}),
  };
}

function choiceOf(choice: unknown, drops: Drops): unknown {
  if (!isJsonObject(choice)) return choice ?? undefined;
  const named = namedChoice(choice);
  if (named !== undefined) return named;
  if (choice['type'] === 'allowed_tools') {
    const tools = objectsIn(choice['tools']).map(namedChoice);
    if (!tools.includes(undefined)) return { type: 'allowed_tools', allowed_tools: { mode: choice['mode'] ?? 'auto', tools } };
  }
  drops.add('tool_choice', 'it names a tool that only OpenAI has');
  return undefined;
}

/** Selects a function, or the function that stands for a tool with free text input. */
function namedChoice({ type, name }: JsonObject): JsonObject | undefined {
  return (type === 'function' || type === 'custom') && textOf(name) !== undefined ? { type: 'function', function: { name } } : undefined;
}
