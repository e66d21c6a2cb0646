import { providers, stages } from '../../../plugins/index.ts';
import { generateSchema } from '../../../src/config/schema/generate.ts';
import { configurationPage } from './configuration.ts';
import { errorsPage } from './errors.ts';
import { headersPage } from './headers.ts';

/** Every generated file of the repository: path and text. `npm run gen` writes them, a test compares. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    'configs/schema/gateway.schema.json': `${JSON.stringify(generateSchema(providers, stages), null, 2)}\n`,
    'docs/configuration.md': configurationPage(),
    'docs/errors.md': errorsPage(),
    'docs/headers.md': headersPage(),
  };
}
