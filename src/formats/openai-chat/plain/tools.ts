import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Drops } from '../../shared/request/drops.ts';
import type { PlainService } from './service.ts';
import { withFittingStrict } from './strict.ts';

/** Models that search the web before they respond. */
const searchers = /search|sonar/i;

/** Keeps functions, and converts a web search tool if the model supports search. */
export function plainTools(
  tools: readonly JsonObject[],
  service: PlainService,
  drops: Drops,
): { readonly tools?: readonly JsonObject[]; readonly web_search_options?: JsonObject } {
  const functions: JsonObject[] = [];
  let search: JsonObject | undefined;
  for (const tool of tools) {
    const type = String(tool['type']);
    if (isJsonObject(tool['function'])) functions.push(functionTool(tool, tool['function'], service, drops));
    else if (/^web_search(?:_\d{8})?$/.test(type) && searchers.test(service.model)) search ??= searchOptions(tool, drops);
    else drops.add(`tools[].${type}`, 'this service has no such tool');
  }
  return { ...(functions.length === 0 ? {} : { tools: functions }), ...(search === undefined ? {} : { web_search_options: search }) };
}

const members: ReadonlySet<string> = new Set(['type', 'function']);
const cachedMembers: ReadonlySet<string> = new Set([...members, 'cache_control']);

function functionTool(tool: JsonObject, fn: JsonObject, { isOpenAi, passes, known }: PlainService, drops: Drops): JsonObject {
  if (passes) return tool;
  const caches = known.includes('cache_control');
  drops.addUnread(tool, caches ? cachedMembers : members, 'tools[].');
  const { strict, ...rest } = fn;
  if (strict === true && !isOpenAi) drops.add('tools[].function.strict');
  const kept = strict === undefined || !isOpenAi ? rest : withFittingStrict(fn, fn['parameters'], 'tools[].function.', drops);
  return {
    type: 'function',
    function: kept,
    ...(caches && tool['cache_control'] !== undefined ? { cache_control: tool['cache_control'] } : {}),
  };
}

const searchMembers: ReadonlySet<string> = new Set(['type', 'name', 'user_location']);

function searchOptions(tool: JsonObject, drops: Drops): JsonObject {
  drops.addUnread(tool, searchMembers, `tools[].${String(tool['type'])}.`);
  const location = tool['user_location'];
  if (!isJsonObject(location)) return {};
  const { type: _type, ...approximate } = location;
  return { user_location: { type: 'approximate', approximate } };
}
