import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { stringOf } from '../../shared/json.ts';

/** Converts a source of chat completions, whose members are in an object named like its type. All members are required here. */
export function annotationFor(source: JsonObject): JsonObject {
  const type = stringOf(source['type']);
  const inner = source[type];
  const { title, start_index: start, end_index: end, ...rest } = isJsonObject(inner) ? inner : source;
  return { ...rest, type, title: stringOf(title), start_index: start ?? 0, end_index: end ?? 0 };
}
