import { isJsonObject } from '../../core/json/merge.ts';

/**
 * Freezes plain objects and lists, as parsed from text, at every depth. Anything else (maps, functions) is left
 * unchanged. A frozen object was frozen here, with its content: many targets share what they inherit.
 */
export function deepFreeze<T>(value: T): T {
  if (Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const entry of value) deepFreeze(entry);
  else if (isJsonObject(value)) for (const entry of Object.values(value)) deepFreeze(entry);
  else return value;
  return Object.freeze(value);
}
