import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { cacheOf } from './cache.ts';
import { objectsIn } from '../../shared/json.ts';

/**
 * Converts `tools` and `tool_choice` to the form of chat completions. Tools that the API runs or defines itself are not changed:
 * each service uses those for which it has an equivalent.
 */
export function toolFields(body: JsonObject, drops: Drops): JsonObject {
  const tools = objectsIn(body['tools']);
  const { choice, parallel } = choiceOf(body['tool_choice'], drops);
  return {
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => toolOf(tool, drops)) }),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(parallel === undefined ? {} : { parallel_tool_calls: parallel }),
  };
}

/** True for the client's own tools. The others have a dated type. */
const isOwnTool = ({ type }: JsonObject): boolean => type === undefined || type === null || type === 'custom';

function toolOf(tool: JsonObject, drops: Drops): JsonObject {
  if (!isOwnTool(tool)) return tool;
  const { type: _type, name, description, input_schema: parameters, strict, cache_control: _mark, ...rest } = tool;
  if (parameters === undefined) drops.add('tools[].input_schema', 'the tool has none');
  return {
    type: 'function',
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      ...(parameters === undefined ? {} : { parameters }),
      ...(typeof strict === 'boolean' ? { strict } : {}),
    },
    ...rest,
    ...cacheOf(tool),
  };
}

const choiceNames: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none' };

const choiceMembers: ReadonlySet<string> = new Set(['type', 'name', 'disable_parallel_tool_use']);

function choiceOf(choice: unknown, drops: Drops): { readonly choice: unknown; readonly parallel: boolean | undefined } {
  if (!isJsonObject(choice)) return { choice: undefined, parallel: undefined };
  drops.addUnread(choice, choiceMembers, 'tool_choice.');
  const { type, name, disable_parallel_tool_use: alone } = choice;
  const mode = typeof type === 'string' && Object.hasOwn(choiceNames, type) ? choiceNames[type] : undefined;
  return {
    choice: mode ?? (type === 'tool' ? { type: 'function', function: { name } } : choice),
    parallel: alone === true ? false : undefined,
  };
}
