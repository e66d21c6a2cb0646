import { isExactNumber, isPlain, type Plain } from '../../../../core/json/merge.ts';
import { parseExact } from '../../../../core/json/scan.ts';
import { type Block, cacheOf, type Conversion } from '../conversion.ts';
import { stringOf } from '../../../shared/json.ts';

/** A call that the model made, in the caller's words. */
export interface Called {
  /** '' where the caller has none. */
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly extra: Block;
}

/** Hands out ids that the API accepts: letters, digits, `_` and `-`, each once in a request. */
export class ToolIds {
  readonly #used = new Set<string>();
  /** The number to try next, for ids that came more than once. */
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

/** Names as the API takes them; a history may contain others from other services. */
export const toolName = (name: string): string => (name === '' ? 'tool' : name.replaceAll(/[^\w-]/g, '_').slice(0, 128));

const members: ReadonlySet<string> = new Set(['id', 'type', 'function', 'custom', 'cache_control', 'index']);
const functionMembers: ReadonlySet<string> = new Set(['name', 'arguments', 'input']);

/** One of the `tool_calls` of an assistant message, or the older `function_call`. */
export function calledBy(call: Plain, { drops }: Conversion): Called {
  const fn = isPlain(call['function']) ? call['function'] : isPlain(call['custom']) ? call['custom'] : {};
  drops.others(call, members, 'messages[].tool_calls[].', 'not supported by this service');
  drops.others(fn, functionMembers, 'messages[].tool_calls[].', 'not supported by this service');
  return { id: stringOf(call['id']), name: stringOf(fn['name']), input: inputOf(fn['arguments'] ?? fn['input']), extra: cacheOf(call) };
}

/**
 * Arguments as the object that the API wants. Empty text and null are a call without arguments; text that is no JSON object (a
 * call that was cut off) is kept under one name, so that the model still sees it.
 */
function inputOf(text: unknown): unknown {
  if (isPlain(text)) return text;
  if (typeof text !== 'string' || text.trim() === '') return {};
  try {
    const value = parseExact(text);
    if (value === null) return {};
    return isPlain(value) && !isExactNumber(value) ? value : { arguments: value };
  } catch {
    return { arguments: text };
  }
}
