import type { JsonBody } from '../../../core/json/body.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Dropped } from '../../../core/provider.ts';
import { objectOf, objectsIn, textOf } from '../../shared/json.ts';
import { missingToolReason } from '../../shared/request/tools.ts';

/** Converts `allowed_tools`, which only OpenAI has, to a request that offers these tools alone. */
export function withAllowedTools(body: JsonBody, patch: Map<string, unknown>): readonly Dropped[] {
  const choice = body.has('tool_choice') ? body.value('tool_choice') : undefined;
  if (!isJsonObject(choice) || choice['type'] !== 'allowed_tools') return [];
  const { mode, tools } = isJsonObject(choice['allowed_tools']) ? choice['allowed_tools'] : choice;
  const names = new Set(objectsIn(tools).map(nameOf));
  const offered = body.has('tools') ? body.exact('tools') : undefined;
  const kept = objectsIn(offered).filter((tool) => names.has(nameOf(tool)));
  if (kept.length === 0) {
    patch.set('tool_choice', undefined);
    return [{ param: 'tool_choice', reason: missingToolReason }];
  }
  patch.set('tools', kept);
  patch.set('tool_choice', mode === 'required' ? 'required' : 'auto');
  return [];
}

const nameOf = (tool: JsonObject): string | undefined =>
  textOf(objectOf(tool['function'] ?? tool['custom'])['name']) ?? textOf(tool['name']) ?? textOf(tool['type']);
