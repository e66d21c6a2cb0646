import { isObject, type JsonObject } from '../../../core/json/merge.ts';

/** Members whose values are schemas by name. */
const schemasByName: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Members whose value is a value of the data, not a schema. */
const data: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'example', 'examples']);

/** Removes keywords from the schemas of tools. Properties and values of the same name stay. */
export const withoutKeywords = (tools: readonly unknown[], keywords: ReadonlySet<string>): readonly unknown[] =>
  tools.map((tool) => {
    const fn = isObject(tool) ? tool['function'] : undefined;
    return isObject(tool) && isObject(fn) && isObject(fn['parameters'])
      ? { ...tool, function: { ...fn, parameters: schemaWithout(fn['parameters'], keywords) } }
      : tool;
  });

function schemaWithout(schema: unknown, keywords: ReadonlySet<string>): unknown {
  if (Array.isArray(schema)) return schema.map((one: unknown) => schemaWithout(one, keywords));
  if (!isObject(schema)) return schema;
  return mapMembers(schema, (key, value) => {
    if (keywords.has(key)) return undefined;
    if (data.has(key)) return value;
    return schemasByName.has(key) && isObject(value)
      ? mapMembers(value, (_name, one) => schemaWithout(one, keywords))
      : schemaWithout(value, keywords);
  });
}

const mapMembers = (object: JsonObject, to: (key: string, value: unknown) => unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(object)
      .map(([key, value]) => [key, to(key, value)] as const)
      .filter(([, value]) => value !== undefined),
  );
