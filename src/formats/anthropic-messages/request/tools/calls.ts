import { isExactNumber, isJsonObject, type JsonObject } from '../../../../core/json/merge.ts';
import { tryParseExact } from '../../../../core/json/scan.ts';
import { type Block, cacheControlOf, type MessagesConversion } from '../conversion.ts';
import { toolCallerOf } from '../../../shared/tool-caller.ts';
import { objectOf, stringOf } from '../../../shared/json.ts';
import { missingName } from '../../../shared/request/tools.ts';

/** A tool call of the model, with the values that the client sent. */
export interface SentCall {
  /** '' if the client sent none. */
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly extra: Block;
}

/** One piece of an assistant turn: a finished block, or a call that gets its id when the turn is built. */
export type AssistantPiece = { readonly block: Block } | { readonly called: SentCall };

/** Generates ids that the API accepts: letters, digits, `_` and `-`, each once per request. */
export class ToolIds {
  readonly #used = new Set<string>();
  /** The next number to try for ids that occurred more than once. */
  readonly #next = new Map<string, number>();

  issue(original: string): string {
    const valid = original === '' ? 'call_gw' : original.replaceAll(/[^\w-]/g, '_');
    let id = valid;
    if (this.#used.has(valid)) {
      let n = this.#next.get(valid) ?? 2;
      while (this.#used.has(`${valid}_${n}`)) n += 1;
      id = `${valid}_${n}`;
      this.#next.set(valid, n + 1);
    }
    this.#used.add(id);
    return id;
  }
}

/** Converts a name to what the API accepts. A history may contain other names from other services. */
export const toolName = (name: string): string => (name === '' ? missingName : name.slice(0, 128).replaceAll(/[^\w-]/g, '_'));

const members: ReadonlySet<string> = new Set(['id', 'type', 'function', 'custom', 'cache_control', 'index', 'caller']);
const functionMembers: ReadonlySet<string> = new Set(['name', 'arguments', 'input']);

/** Reads an item of `tool_calls` of an assistant message, or the legacy `function_call`. */
export function sentCallOf(call: JsonObject, { drops }: MessagesConversion): SentCall {
  const fn = isJsonObject(call['function']) ? call['function'] : objectOf(call['custom']);
  drops.addUnread(call, members, 'messages[].tool_calls[].');
  drops.addUnread(fn, functionMembers, 'messages[].tool_calls[].');
  return {
    id: stringOf(call['id']),
    name: stringOf(fn['name']),
    // The input of a custom tool is free text.
    input:
      isJsonObject(call['custom']) && typeof fn['input'] === 'string'
        ? { input: fn['input'] }
        : inputOf(fn['arguments'] ?? fn['input'], drops),
    extra: { ...cacheControlOf(call), ...toolCallerOf(call) },
  };
}

/**
 * Converts arguments to the object that the API requires. Empty text and null mean a call without arguments. Text that is not a
 * JSON object, such as a call that was cut off, is kept in a member `arguments`, so that the model still sees it.
 */
function inputOf(sent: unknown, drops: MessagesConversion['drops']): unknown {
  if (isJsonObject(sent)) return sent;
  const text = typeof sent === 'string' ? sent.trim() : JSON.stringify(sent ?? null);
  if (text === '' || text === 'null') return {};
  const value = tryParseExact(text);
  if (isJsonObject(value) && !isExactNumber(value)) return value;
  drops.add('messages[].tool_calls[].arguments', 'not a JSON object: sent in the member "arguments"');
  return { arguments: value ?? sent };
}
