import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { objectOf, listOf } from '../../shared/json.ts';

/** Keywords that OpenAI rejects in strict schemas (OpenAI, "Structured outputs", supported schemas). */
const rejected = ['oneOf', 'allOf', 'not', 'if', 'dependentRequired', 'dependentSchemas', 'patternProperties', 'default'] as const;

const reason = 'this service enforces closed objects with all properties required';

/**
 * Removes `strict` where OpenAI would reject the schema. Anthropic also enforces properties that may be missing, OpenAI does not.
 *
 * @param holder a function with `parameters`, or a response format with `schema`
 * @param place prefix of the name under which the loss is reported
 */
export function withFittingStrict(holder: JsonObject, schema: unknown, place: string, drops: Drops): JsonObject {
  if (holder['strict'] !== true || schema === undefined || fits(schema)) return holder;
  drops.add(`${place}strict`, reason);
  const { strict: _strict, ...rest } = holder;
  return rest;
}

/** The root must be an object. */
const fits = (schema: unknown): boolean =>
  isJsonObject(schema) && schema['type'] === 'object' && schema['anyOf'] === undefined && isClosed(schema);

/** True if the schema and all schemas in it can be enforced. */
function isClosed(schema: unknown): boolean {
  if (!isJsonObject(schema) || rejected.some((key) => schema[key] !== undefined)) return false;
  const { type, properties, required, items, anyOf } = schema;
  const named = objectOf(properties);
  const isObject = type === 'object' || isJsonObject(properties) || (Array.isArray(type) && type.includes('object'));
  if (isObject && !isClosedObject(schema, Object.keys(named), required)) return false;
  const inner = [named, schema['$defs'], schema['definitions']].flatMap((one) => (isJsonObject(one) ? Object.values(one) : []));
  const all = [...inner, ...(items === undefined ? [] : [items]), ...listOf(anyOf)];
  return all.every(isClosed);
}

function isClosedObject(schema: JsonObject, names: readonly string[], required: unknown): boolean {
  if (schema['additionalProperties'] !== false) return false;
  // A set, because a schema may have tens of thousands of properties.
  const requiredNames = new Set<unknown>(Array.isArray(required) ? required : []);
  return names.every((name) => requiredNames.has(name));
}
