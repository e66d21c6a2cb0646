import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { providers, stages } from '../../../plugins/index.ts';
import { testFileSchema } from '../../testing/file/schema.ts';
import { gatewaySchema, providerSchema, withNotes } from '../schema/join.ts';

const schemas = [
  { name: 'the configuration', schema: gatewaySchema(providers) },
  { name: 'a file of tests', schema: testFileSchema },
  ...providers.map((provider) => ({ name: `provider ${provider.type}`, schema: providerSchema(provider) })),
  ...stages.map(({ name, options }) => ({ name: `plugin ${name}`, schema: options })),
];

describe('schemas of the gateway', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });

  it('are valid JSON schemas', () => {
    const invalidSchemas = schemas.flatMap(({ name, schema }) => {
      const isValid = ajv.validateSchema(withNotes(schema) as object);
      return isValid === true ? [] : [`${name}: ${ajv.errorsText()}`];
    });
    expect(invalidSchemas).toEqual([]);
  });
});
