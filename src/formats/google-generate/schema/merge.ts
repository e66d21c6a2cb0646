import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';

/** Maximum number of schemas of one property that are merged. Of more, only those that take precedence are used. */
const maxPerSchema = 16;

/**
 * Merges two schemas: properties and required names of both; for all other keywords `over` takes precedence. This is the meaning
 * of `allOf` as far as the service's subset can express it.
 */
export function mergeSchemas(under: JsonObject, over: JsonObject): JsonObject {
  const out: Record<string, unknown> = { ...under, ...over };
  if (isJsonObject(under['properties']) && isJsonObject(over['properties']))
    out['properties'] = mergedProperties(under['properties'], over['properties']);
  if (Array.isArray(under['required']) && Array.isArray(over['required'])) {
    out['required'] = [...new Set([...(under['required'] as unknown[]), ...(over['required'] as unknown[])])];
  }
  return out;
}

/** A property that both have must obey both schemas: often one has its type, and the other its only value. */
function mergedProperties(under: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map(Object.entries(under));
  for (const [name, schema] of Object.entries(over)) {
    const other = merged.get(name);
    merged.set(name, isJsonObject(other) && isJsonObject(schema) && other !== schema ? bothOf(schema, other) : schema);
  }
  return Object.fromEntries(merged);
}

const bothOf = (over: JsonObject, under: JsonObject): JsonObject => ({
  allOf: [...membersOf(over), ...membersOf(under)].slice(0, maxPerSchema),
});

/** Returns the members of a schema that is only a conjunction, and else the schema. */
const membersOf = (schema: JsonObject): readonly unknown[] => {
  const { allOf, ...others } = schema;
  return Array.isArray(allOf) && Object.keys(others).length === 0 ? (allOf as unknown[]) : [schema];
};
