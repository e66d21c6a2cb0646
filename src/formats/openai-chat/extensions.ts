import type { JsonBody } from '../../core/json/body.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Dropped } from '../../core/provider.ts';
import { Drops, notSupported } from '../shared/request/drops.ts';
import { isNonFunctionTool, isSearchTool, missingToolReason } from '../shared/request/tools.ts';
import { cleanHistory } from '../history/clean.ts';
import { needsCleaning } from '../history/needs-cleaning.ts';
import { type HistoryRules, openaiHistory } from '../history/rules.ts';

/**
 * The gateway's own fields in chat bodies. Services that validate their input reject them with 400. A closed list, so that every
 * other unknown field is passed on.
 */
const topLevel = [
  'labels',
  'thinking',
  'safety_settings',
  'image_config',
  'cached_content',
  'anthropic_beta',
  'anthropic_version',
  'vendor_beta',
] as const;

/**
 * Ends of the names of extensions that may be nested in any message or tool. Every chat request is searched for them. Each begins
 * with a character that is rare in prose, which makes the search cheap. A hit leads to a parse, which then decides.
 */
const nestedHints = ['_control"', '_search'] as const;

/** Start of the date in the types of Anthropic's own tools, such as `web_search_20250305`. */
const dateHint = '_20';
const dated = /_20\d{6}$/;

/**
 * Removes the gateway's own fields and adapts the history to what the service accepts. Returns the body with what was dropped, or
 * the same body if nothing changed.
 *
 * @param known the gateway's fields that the service also supports
 */
export function dropExtensions(
  body: JsonBody,
  rules: HistoryRules = openaiHistory,
  known: readonly string[] = none,
): { readonly body: JsonBody; readonly dropped: readonly Dropped[] } {
  const patch = new Map<string, unknown>();
  const drops = new Drops();
  for (const name of topLevel) {
    if (!body.has(name) || known.includes(name)) continue;
    patch.set(name, undefined);
    drops.add(name);
  }
  const isHinted = nestedHints.some((hint) => body.mentions(hint));
  const hasDatedTool = body.has('tools') && body.mentions(dateHint);
  const bare = known.includes('cache_control') ? unchanged : withoutMark;
  if (isHinted || hasDatedTool) dropTools(body, patch, drops, bare);
  const isForeign = needsCleaning(body, rules);
  if (isForeign || isHinted) dropNested(body, patch, drops, { rules: isForeign ? rules : undefined, bare });
  return patch.size === 0 ? { body, dropped: none } : { body: body.edit(patch), dropped: drops.list };
}

/**
 * Like `dropExtensions`, for bodies other than chat. Of the gateway's fields only `labels` has a meaning there, and any config
 * may set it.
 */
export function dropLabels(body: JsonBody): { readonly body: JsonBody; readonly dropped: readonly Dropped[] } {
  return body.has('labels') ? { body: body.edit(noLabels), dropped: labelsDropped } : { body, dropped: none };
}

const noLabels: ReadonlyMap<string, unknown> = new Map([['labels', undefined]]);
const labelsDropped: readonly Dropped[] = Object.freeze([{ param: 'labels', reason: notSupported }]);

const none: readonly never[] = Object.freeze([]);

/** Removes `cache_control` from an object, or keeps it if the service supports it. */
type Bare = (object: JsonObject, name: string, drops: Drops) => JsonObject;

interface Nested {
  /** Undefined if the history needs no change. */
  readonly rules: HistoryRules | undefined;
  readonly bare: Bare;
}

function dropNested(body: JsonBody, patch: Map<string, unknown>, drops: Drops, { rules, bare }: Nested): void {
  const messages = body.exact('messages');
  if (!Array.isArray(messages)) return;
  const history = rules === undefined ? messages : cleanHistory(messages, rules, drops);
  const kept = history.map((message: unknown) => (isJsonObject(message) ? withoutCacheControl(message, drops, bare) : message));
  if (rules !== undefined || kept.some((message, at) => message !== messages[at])) patch.set('messages', kept);
}

/** Removes `cache_control` of a message and of its parts. */
function withoutCacheControl(message: JsonObject, drops: Drops, bare: Bare): JsonObject {
  const out = bare(message, 'messages[].cache_control', drops);
  const { content } = out;
  if (!Array.isArray(content)) return out;
  const parts = content.map((part: unknown) => (isJsonObject(part) ? bare(part, 'messages[].content[].cache_control', drops) : part));
  return parts.some((part, at) => part !== content[at]) ? { ...out, content: parts } : out;
}

function dropTools(body: JsonBody, patch: Map<string, unknown>, drops: Drops, bare: Bare): void {
  const tools = body.exact('tools');
  if (!Array.isArray(tools)) return;
  const served = tools.filter((tool) => !isSearchTool(tool) && !isDatedTool(tool));
  for (const tool of tools) {
    if (isSearchTool(tool)) drops.add('tools[].vendor_search');
    else if (isDatedTool(tool)) drops.add(`tools[].${String(tool['type'])}`, 'only another service has this tool');
  }
  const kept = served.map((tool: unknown) => (isJsonObject(tool) ? withoutMarks(tool, drops, bare) : tool));
  if (kept.length === tools.length && kept.every((tool, at) => tool === tools[at])) return;
  patch.set('tools', kept.length === 0 ? undefined : kept);
  if (kept.length < tools.length && body.has('tool_choice')) dropLostChoice(body.value('tool_choice'), tools, patch, drops);
  // Services reject both if there are no tools.
  if (kept.length === 0) for (const name of ['tool_choice', 'parallel_tool_calls']) if (body.has(name)) patch.set(name, undefined);
}

/** Removes `cache_control` of a tool, which some clients write inside the function. */
function withoutMarks(tool: JsonObject, drops: Drops, bare: Bare): JsonObject {
  const out = bare(tool, 'tools[].cache_control', drops);
  const fn = out['function'];
  const kept = isJsonObject(fn) ? bare(fn, 'tools[].function.cache_control', drops) : fn;
  return kept === fn ? out : { ...out, function: kept };
}

/** Drops the choice of a tool that only another service has. */
function dropLostChoice(choice: unknown, tools: readonly unknown[], patch: Map<string, unknown>, drops: Drops): void {
  const named = isJsonObject(choice) ? (isJsonObject(choice['function']) ? choice['function'] : choice)['name'] : undefined;
  if (!isNonFunctionTool(tools, named)) return;
  patch.set('tool_choice', undefined);
  drops.add('tool_choice', missingToolReason);
}

const unchanged: Bare = (object) => object;

const withoutMark: Bare = (object, name, drops) => {
  if (!Object.hasOwn(object, 'cache_control')) return object;
  const { cache_control: mark, ...rest } = object;
  if (mark !== null) drops.add(name);
  return rest;
};

/** True for a tool of Anthropic's API, also in its compatible form `{type: T, T: {name}}`. A client's own tool may have any name. */
function isDatedTool(tool: unknown): tool is JsonObject {
  if (!isJsonObject(tool) || typeof tool['type'] !== 'string' || isJsonObject(tool['function']) || tool['type'] === 'custom') return false;
  const inner = tool[tool['type']];
  return dated.test(tool['type']) || (isJsonObject(inner) && typeof inner['name'] === 'string' && dated.test(inner['name']));
}
