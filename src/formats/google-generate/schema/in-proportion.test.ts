import { expect, it } from 'vitest';
import { toServedSchema } from './index.ts';

const count = 30_000;
const each = <T>(make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const named = <T>(make: (at: number) => T): Record<string, T> => Object.fromEntries(each((at) => [`p${at}`, make(at)]));
const object = (at: number) => ({ type: 'object', properties: { [`a${at}`]: { type: 'string' } }, required: [`a${at}`] });
const reference = (at: number) => ({ $ref: `#/$defs/p${at}` });

/** Squared, each of these would go on for minutes, or need more memory than there is. */
const schemas: Readonly<Record<string, object>> = {
  'many schemas at once': { allOf: each(object) },
  'many references at once': { $defs: named(() => ({ type: 'string' })), allOf: each(reference) },
  'many alternatives of a large schema': { type: 'object', properties: named(() => ({ type: 'string' })), anyOf: each(object) },
  'a reference to a reference and so on': { $defs: named((at) => reference(at + 1)), ...reference(0) },
};

it.each(Object.entries(schemas))('is converted in time: %s', (_name, schema) => {
  expect(toServedSchema(schema, () => undefined)).toBeDefined();
});

it('merges every schema of an ordinary list', () => {
  const made = toServedSchema({ allOf: each(object).slice(0, 300) }, () => undefined);
  expect(Object.keys((made as { properties: object }).properties)).toHaveLength(300);
});
