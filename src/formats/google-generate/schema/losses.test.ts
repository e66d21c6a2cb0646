import { expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/merge.ts';
import { toServedSchema } from './index.ts';

const object = (properties: JsonObject, extra: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...extra });
const text = { type: 'string' };
const integerSchema = { type: 'integer' };

/** The schema of property `a`, what is sent for it, and the keywords that are lost. */
it.each<[name: string, schema: JsonObject, sent: unknown, lost: readonly string[], root?: JsonObject]>([
  ['a reference to a missing definition', { $ref: '#/$defs/None' }, text, ['$ref']],
  ['a reference to another document', { $ref: 'https://example.com/a.json', title: 'T' }, { ...text, title: 'T' }, ['$ref']],
  ['a reference to a schema that accepts anything', { $ref: '#/$defs/Any' }, text, [], { $defs: { Any: true } }],
  ['a type that JSON Schema does not have', { type: 'file' }, text, ['type']],
  [
    'a recursive schema with its own description',
    { $ref: '#/$defs/N' },
    object({ n: { type: 'object', description: 'D' } }),
    ['$ref'],
    { $defs: { N: object({ n: { allOf: [{ $ref: '#/$defs/N' }], description: 'D' } }) } },
  ],
  [
    'two recursive schemas of a property',
    { allOf: [{ $ref: '#/$defs/N' }, { $ref: '#/$defs/M' }] },
    object({ n: { type: 'object' } }),
    ['$ref'],
    { $defs: { N: object({ n: { $ref: '#/$defs/N' } }), M: object({ n: { $ref: '#/$defs/M' } }) } },
  ],
  ['an empty string among the values', { enum: ['a', '', null] }, { ...text, enum: ['a'], nullable: true }, ['enum']],
  [
    'keywords of single types beside a list of types',
    { type: ['string', 'integer'], pattern: '^a', minimum: 1, format: 'date-time', multipleOf: 2 },
    {
      anyOf: [
        { ...text, format: 'date-time', pattern: '^a' },
        { ...integerSchema, minimum: 1 },
      ],
    },
    ['multipleOf'],
  ],
  [
    'values beside a list of types',
    { type: ['string', 'integer'], enum: ['a', 1], format: 'odd' },
    { anyOf: [{ ...text, enum: ['a', '1'] }, integerSchema] },
    ['format', 'enum'],
  ],
  ['keywords of another type without a type', { minimum: 1 }, text, ['minimum']],
  ['an object among the values', { type: 'string', enum: ['a', {}] }, { ...text, enum: ['a'] }, ['enum']],
  ['values and null', { enum: ['a', null] }, { ...text, enum: ['a'], nullable: true }, []],
  ['only null', { type: 'null' }, { ...text, nullable: true }, []],
  [
    'alternatives of two types',
    { anyOf: [text, integerSchema], oneOf: [text, integerSchema] },
    { anyOf: [text, integerSchema] },
    ['oneOf'],
  ],
  ['a default of alternatives', { anyOf: [text, integerSchema], default: 'x' }, { anyOf: [text, integerSchema] }, ['default']],
  ['a default of one alternative', { anyOf: [text, { type: 'null' }], default: 'x' }, { ...text, default: 'x', nullable: true }, []],
  [
    'alternatives of two schemas',
    { allOf: [{ anyOf: [text, integerSchema] }, { anyOf: [{}, {}] }] },
    { anyOf: [text, integerSchema] },
    ['anyOf'],
  ],
  [
    'the first items of a list (prefixItems)',
    { type: 'array', prefixItems: [text], items: integerSchema },
    { type: 'array', items: integerSchema },
    ['prefixItems'],
  ],
  [
    'a property of two schemas',
    { allOf: [object({ kind: text }, { required: ['kind'] }), object({ kind: { const: 'a', description: 'D' } })] },
    object({ kind: { ...text, description: 'D', enum: ['a'] } }, { required: ['kind'] }),
    [],
  ],
  [
    'a property of a schema and of its alternatives',
    { ...object({ kind: { ...text, description: 'D' } }), anyOf: [object({ kind: { const: 'a' } }), object({ n: integerSchema })] },
    {
      anyOf: [
        object({ kind: { ...text, description: 'D', enum: ['a'] } }),
        object({ kind: { ...text, description: 'D' }, n: integerSchema }),
      ],
    },
    [],
  ],
])('toServedSchema converts %s', (...[, schema, sent, expectedLosses, root]) => {
  const reportedLosses: string[] = [];
  expect(toServedSchema(object({ a: schema }, root), (keyword) => reportedLosses.push(keyword))).toEqual(object({ a: sent }));
  expect([...new Set(reportedLosses)]).toEqual(expectedLosses);
});
