import type { JsonObject } from '../../core/json/merge.ts';
import { objectsIn, parseObject, textOf } from '../shared/json.ts';

/**
 * Converts the list of models for libraries of both APIs: keeps every member, and adds those that OpenAI's libraries read
 * (`object`, `created`, `owned_by`).
 */
export function fromModelList(text: string): JsonObject {
  const list = parseObject(text) ?? {};
  const data = objectsIn(list['data']);
  return { object: 'list', ...list, data: data.map(modelOf) };
}

function modelOf(model: JsonObject): JsonObject {
  const at = Date.parse(textOf(model['created_at']) ?? '');
  return { object: 'model', created: Number.isNaN(at) ? 0 : Math.floor(at / 1000), owned_by: 'anthropic', ...model };
}
