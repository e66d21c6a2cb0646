import { isPlain } from '../../core/json/merge.ts';

/** Freezes data that came from text: objects and lists, all the way down. Anything else (maps, functions) stays as it is. */
export function deepFreeze<T>(value: T): T {
  if (Array.isArray(value)) for (const entry of value) deepFreeze(entry);
  else if (isPlain(value)) for (const entry of Object.values(value)) deepFreeze(entry);
  else return value;
  return Object.freeze(value);
}
