import { isPlain, type Plain } from '../../../core/json/merge.ts';
import type { Drops } from '../../shared/request/drops.ts';
import type { PlainService } from './index.ts';
import { withFittingStrict } from './strict.ts';

/** Models that search the web before they respond. */
const searchers = /search|sonar/i;

/** Keeps functions, and converts a web search tool if the model supports search. */
export function plainTools(
  tools: readonly Plain[],
  service: PlainService,
  drops: Drops,
): { readonly tools?: readonly Plain[]; readonly web_search_options?: Plain } {
  const functions: Plain[] = [];
  let search: Plain | undefined;
  for (const tool of tools) {
    const type = String(tool['type']);
    if (isPlain(tool['function'])) functions.push(functionTool(tool, tool['function'], service, drops));
    else if (/^web_search(?:_\d{8})?$/.test(type) && searchers.test(service.model)) search ??= searchOptions(tool, drops);
    else drops.add(`tools[].${type}`, 'this service has no such tool');
  }
  return { ...(functions.length === 0 ? {} : { tools: functions }), ...(search === undefined ? {} : { web_search_options: search }) };
}

const members: ReadonlySet<string> = new Set(['type', 'function']);

function functionTool(tool: Plain, fn: Plain, { isOpenAi, passes }: PlainService, drops: Drops): Plain {
  if (passes) return tool;
  drops.others(tool, members, 'tools[].', 'not supported by this service');
  const { strict, ...rest } = fn;
  if (strict === true && !isOpenAi) drops.add('tools[].function.strict', 'not supported by this service');
  const kept = strict === undefined || !isOpenAi ? rest : withFittingStrict(fn, fn['parameters'], 'tools[].function.', drops);
  return { type: 'function', function: kept };
}

const searchMembers: ReadonlySet<string> = new Set(['type', 'name', 'user_location']);

function searchOptions(tool: Plain, drops: Drops): Plain {
  drops.others(tool, searchMembers, `tools[].${String(tool['type'])}.`, 'not supported by this service');
  const place = tool['user_location'];
  if (!isPlain(place)) return {};
  const { type: _type, ...approximate } = place;
  return { user_location: { type: 'approximate', approximate } };
}
