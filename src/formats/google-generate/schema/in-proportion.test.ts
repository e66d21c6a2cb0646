import { expect, it } from 'vitest';
import { toServedSchema } from './index.ts';

const count = 30_000;
const each = <T>(make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const named = <T>(make: (at: number) => T): Record<string, T> => Object.fromEntries(each((at) => [`p${at}`, make(at)]));
const object = (at: number) => ({ type: 'object', properties: { [`a${at}`]: { type: 'string' } }, required: [`a${at}`] });
const reference = (at: number) => ({ $ref: `#/$defs/p${at}` });

/** A quadratic algorithm would need minutes for these, or run out of memory. */
const schemas: Readonly<Record<string, object>> = {
  'many schemas in allOf': { allOf: each(object) },
  'many references in allOf': { $defs: named(() => ({ type: 'string' })), allOf: each(reference) },
  'many alternatives of a large schema': { type: 'object', properties: named(() => ({ type: 'string' })), anyOf: each(object) },
  'a long chain of references': { $defs: named((at) => reference(at + 1)), ...reference(0) },
};

it.each(Object.entries(schemas))('toServedSchema converts in linear time: %s', (_name, schema) => {
  expect(toServedSchema(schema, () => undefined)).toBeDefined();
});

it('toServedSchema merges every schema of an ordinary allOf', () => {
  const made = toServedSchema({ allOf: each(object).slice(0, 300) }, () => undefined);
  expect(Object.keys((made as { properties: object }).properties)).toHaveLength(300);
});
