import { _, Ajv2020, type Options } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { isWithin } from '../range.ts';

export type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';

/** Custom annotations of the schemas. They do not affect validation. */
const annotations = ['x-form', 'x-code', 'x-hints'];

/**
 * Creates a compiler for the schemas of the configuration.
 *
 * @param code set to get a module of a compiled schema: `source`, and the module that exports `isWithin`
 */
export function createAjv(code: { readonly source?: true; readonly range?: string } = {}): Ajv2020 {
  const { source = false, range = '' } = code;
  const options: Options = { allErrors: true, verbose: true, strict: false, validateSchema: false };
  const ajv = new Ajv2020({ ...options, code: { optimize: false, source, esm: true } });
  ajvFormats.default(ajv);
  ajv.addVocabulary(annotations);
  ajv.addKeyword({
    keyword: 'x-range',
    type: 'string',
    schemaType: 'array',
    code: (context) => {
      const within = context.gen.scopeValue('func', { ref: isWithin, code: _`require(${range}).isWithin` });
      context.pass(_`${within}(${context.data}, ${context.schemaValue})`);
    },
  });
  return ajv;
}
