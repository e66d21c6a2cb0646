import { isPlain, type Plain } from '#core/merge.ts';
import { parseExact } from '../exact.ts';
import type { Block } from './conversion.ts';

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

  issue(original: string): string {
    const valid = original === '' ? 'call_gw' : original.replaceAll(/[^\w-]/g, '_');
    let id = valid;
    for (let n = 2; this.#used.has(id); n += 1) id = `${valid}_${n}`;
    this.#used.add(id);
    return id;
  }
}

/** `tool_calls` of an assistant message, and the older `function_call`. */
export function calledIn(message: Plain): Called[] {
  const calls: Called[] = [];
  const list = message['tool_calls'];
  for (const call of Array.isArray(list) ? list.filter(isPlain) : []) {
    const fn = isPlain(call['function']) ? call['function'] : isPlain(call['custom']) ? call['custom'] : undefined;
    if (fn === undefined) continue;
    calls.push({
      id: textIn(call['id']),
      name: textIn(fn['name']),
      input: inputOf(fn['arguments'] ?? fn['input']),
      extra: call['cache_control'] === undefined ? {} : { cache_control: call['cache_control'] },
    });
  }
  const single = message['function_call'];
  if (isPlain(single)) calls.push({ id: '', name: textIn(single['name']), input: inputOf(single['arguments']), extra: {} });
  return calls;
}

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Arguments as the object that the API wants. Empty text is a call without arguments; text that is no JSON object (a
 * call that was cut off) is kept under one name, so that the model still sees it.
 */
function inputOf(text: unknown): unknown {
  if (isPlain(text)) return text;
  if (typeof text !== 'string' || text.trim() === '') return {};
  try {
    const value = parseExact(text);
    return isPlain(value) ? value : { arguments: value };
  } catch {
    return { arguments: text };
  }
}
