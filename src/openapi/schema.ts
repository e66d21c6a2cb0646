import type { JsonSchema } from '../core/json/schema.ts';

/** Shorthands for schemas (JSON Schema 2020-12, as used by OpenAPI 3.1). */

export const text: JsonSchema = { type: 'string' };
export const name: JsonSchema = { type: 'string', minLength: 1 };
export const integer: JsonSchema = { type: 'integer' };
export const count: JsonSchema = { type: 'integer', minimum: 0 };
export const number: JsonSchema = { type: 'number' };
export const flag: JsonSchema = { type: 'boolean' };
/** Time in Unix seconds. */
export const seconds: JsonSchema = { type: 'integer', description: 'Unix seconds' };
export const file: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' };
export const anyObject: JsonSchema = { type: 'object' };

export const enumOf = (...values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });
export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
export const nonEmptyList = (items: JsonSchema): JsonSchema => ({ type: 'array', items, minItems: 1 });
export const anyOf = (...schemas: readonly JsonSchema[]): JsonSchema => ({ anyOf: schemas });
export const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
export const ref = (schema: string): JsonSchema => ({ $ref: `#/components/schemas/${schema}` });

/** An object that may have further members: fields that providers add are passed on. */
export function object(required: Readonly<Record<string, JsonSchema>>, optional: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  const names = Object.keys(required);
  return { type: 'object', properties: { ...required, ...optional }, ...(names.length === 0 ? {} : { required: names }) };
}
