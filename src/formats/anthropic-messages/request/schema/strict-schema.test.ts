import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Drops } from '../../../shared/request/drops.ts';
import { strictSchema } from './strict-schema.ts';

const text = fc.string({ maxLength: 5 });
const common = {
  title: text,
  description: fc.string({ minLength: 1, maxLength: 5 }),
  default: fc.jsonValue(),
  examples: fc.array(fc.integer()),
};
const { schema } = fc.letrec((ref) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.record(
      { type: fc.constant('string'), format: fc.constantFrom('date', 'email', 'phone'), minLength: fc.nat(), pattern: text, ...common },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constantFrom('integer', 'number', 'boolean', 'null'), minimum: fc.integer(), ...common },
      { requiredKeys: ['type'] },
    ),
    fc.record({ enum: fc.array(fc.oneof(text, fc.integer(), fc.constant(null)), { minLength: 1 }), ...common }, { requiredKeys: ['enum'] }),
    fc.record({ const: fc.oneof(text, fc.integer()), type: fc.constant('string') }, { requiredKeys: ['const'] }),
    fc.record({ $ref: fc.constant('#/$defs/A'), description: text }, { requiredKeys: ['$ref'] }),
    fc.record({ anyOf: fc.array(ref('schema'), { minLength: 1, maxLength: 3 }), ...common }, { requiredKeys: ['anyOf'] }),
    fc.record({ oneOf: fc.array(ref('schema'), { minLength: 1, maxLength: 3 }), ...common }, { requiredKeys: ['oneOf'] }),
    fc.record({ allOf: fc.array(ref('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record(
      { type: fc.constant('array'), items: ref('schema'), minItems: fc.nat(3), maxItems: fc.nat(), uniqueItems: fc.boolean(), ...common },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.oneof(text, fc.constantFrom('type', '$ref', 'format')), ref('schema'), { maxKeys: 3 }),
        required: fc.array(text),
        additionalProperties: fc.boolean(),
        $defs: fc.dictionary(text, ref('schema'), { maxKeys: 2 }),
        $schema: text,
        patternProperties: fc.constant({ x: {} }),
        ...common,
      },
      { requiredKeys: ['type'] },
    ),
  ),
}));

it("strictSchema agrees with transformJSONSchema of the vendor's SDK", () => {
  fc.assert(
    fc.property(schema, (inputSchema) => {
      const inputBefore = JSON.stringify(inputSchema);
      const strict = strictSchema(inputSchema, new Drops());
      // Compared after a JSON round trip, so that __proto__ is an ordinary member in both.
      expect(JSON.parse(JSON.stringify(strict))).toEqual(JSON.parse(JSON.stringify(transformJSONSchema(inputSchema as never))));
      expect(JSON.stringify(inputSchema)).toBe(inputBefore);
    }),
    { numRuns: 500 },
  );
});

it('strictSchema does not overflow the stack', () => {
  let nestedSchema: Record<string, unknown> = { type: 'string' };
  for (let n = 0; n < 100_000; n += 1) nestedSchema = { type: 'array', items: nestedSchema };
  expect(JSON.stringify(strictSchema(nestedSchema, new Drops())).length).toBeLessThan(10_000);
});
