import { expect, it } from 'vitest';
import { toServedSchema } from './index.ts';

const count = 30_000;
const repeat = <T>(create: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => create(index));
const namedMembers = <T>(create: (index: number) => T): Record<string, T> =>
  Object.fromEntries(repeat((index) => [`p${index}`, create(index)]));
const object = (index: number) => ({ type: 'object', properties: { [`a${index}`]: { type: 'string' } }, required: [`a${index}`] });
const reference = (index: number) => ({ $ref: `#/$defs/p${index}` });

/** A quadratic algorithm would need minutes for these, or run out of memory. */
const schemas: Readonly<Record<string, object>> = {
  'many schemas in allOf': { allOf: repeat(object) },
  'many references in allOf': { $defs: namedMembers(() => ({ type: 'string' })), allOf: repeat(reference) },
  'many alternatives of a large schema': { type: 'object', properties: namedMembers(() => ({ type: 'string' })), anyOf: repeat(object) },
  'a long chain of references': { $defs: namedMembers((index) => reference(index + 1)), ...reference(0) },
};

it.each(Object.entries(schemas))('toServedSchema converts in linear time: %s', (_name, schema) => {
  expect(toServedSchema(schema, () => undefined)).toBeDefined();
});

it('toServedSchema merges every schema of an ordinary allOf', () => {
  const schema = toServedSchema({ allOf: repeat(object).slice(0, 300) }, () => undefined);
  expect(Object.keys((schema as { properties: object }).properties)).toHaveLength(300);
});
