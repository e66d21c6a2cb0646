import { isJsonObject, type JsonObject } from '../../../../core/json/merge.ts';
import { isNonFunctionTool } from '../../../shared/request/tools.ts';
import { textOf } from '../../../shared/json.ts';
import type { GenerateConversion } from '../conversion.ts';
import type { ServedTools } from './index.ts';

const modes: Readonly<Record<string, string>> = { auto: 'AUTO', none: 'NONE', required: 'ANY', any: 'ANY', validated: 'VALIDATED' };

/**
 * Converts `tool_choice` and `function_call` in all forms. The service rejects a choice if no function is declared. Undefined if
 * there is nothing to send.
 */
export function toToolConfig(body: JsonObject, tools: ServedTools, conversion: GenerateConversion): JsonObject | undefined {
  const choice = body['tool_choice'] ?? body['function_call'];
  const config = tools.names.length === 0 || choice === undefined || choice === null ? undefined : callingConfig(choice);
  if (config === undefined && choice !== undefined && choice !== null && choice !== 'auto' && choice !== 'none') {
    const reason = tools.names.length === 0 ? 'the request declares no function that it could choose' : undefined;
    conversion.drops.add('tool_choice', reason);
  }
  const [only, ...more] = (config?.['allowedFunctionNames'] ?? []) as readonly string[];
  const isLost = more.length === 0 && only !== undefined && !tools.names.includes(only) && isNonFunctionTool(body['tools'], only);
  if (isLost) conversion.drops.add('tool_choice', 'only functions can be forced here');
  const calling = isLost ? undefined : config;
  if (calling === undefined && tools.retrievalConfig === undefined) return undefined;
  return {
    ...(calling === undefined ? {} : { functionCallingConfig: calling }),
    ...(tools.retrievalConfig === undefined ? {} : { retrievalConfig: tools.retrievalConfig }),
  };
}

function callingConfig(choice: unknown): JsonObject | undefined {
  if (typeof choice === 'string') return Object.hasOwn(modes, choice) ? { mode: modes[choice] } : undefined;
  if (!isJsonObject(choice)) return undefined;
  if (choice['type'] === 'allowed_tools') return allowed(isJsonObject(choice['allowed_tools']) ? choice['allowed_tools'] : choice);
  const name = nameOf(choice);
  if (name !== undefined) return { mode: 'ANY', allowedFunctionNames: [name] };
  const type = textOf(choice['type']);
  return type !== undefined && Object.hasOwn(modes, type) ? { mode: modes[type] } : undefined;
}

/** Converts `allowed_tools`. Names are valid only with ANY and VALIDATED; with VALIDATED the model may also respond without a call. */
function allowed(choice: JsonObject): JsonObject | undefined {
  const tools: unknown = choice['tools'];
  const names = Array.isArray(tools) ? tools.flatMap((tool: unknown) => (isJsonObject(tool) ? (nameOf(tool) ?? []) : [])) : [];
  if (names.length === 0) return undefined;
  return { mode: choice['mode'] === 'required' ? 'ANY' : 'VALIDATED', allowedFunctionNames: names };
}

/** Returns the name in `{type: 'function', function: {name}}`, `{type: 'function', name}` or `{name}`. */
function nameOf(choice: JsonObject): string | undefined {
  const fn = isJsonObject(choice['function']) ? choice['function'] : choice;
  return textOf(fn['name']);
}
