import { providers, stages } from '../../../plugins/index.ts';
import { generateSchema } from '../../../src/config/schema/generate.ts';
import { adminApiPage } from './admin-api.ts';
import { cliPage } from './cli.ts';
import { configurationPage } from './configuration.ts';
import { errorsPage } from './errors.ts';
import { filtersPage } from './filters.ts';
import { version } from '../../../src/gateway/version.ts';
import { describeApi } from '../../../src/openapi/document.ts';
import { headersPage } from './headers.ts';
import { messagesPage } from './messages.ts';
import { metricsPage } from './metrics.ts';
import { responsesPage } from './responses.ts';
import { routesPage } from './routes.ts';
import { servicesPage } from './services.ts';

/** Every generated file of the repository: path and text. `npm run gen` writes them, a test compares. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    'configs/schema/gateway.schema.json': `${JSON.stringify(generateSchema(providers, stages), null, 2)}\n`,
    'docs/admin-api.md': adminApiPage(),
    'docs/cli.md': cliPage(),
    'docs/configuration.md': configurationPage(),
    'docs/errors.md': errorsPage(),
    'docs/filters.md': filtersPage(),
    'docs/headers.md': headersPage(),
    'docs/messages.md': messagesPage(),
    'docs/metrics.md': metricsPage(),
    'docs/openapi.json': `${JSON.stringify(describeApi(version), null, 2)}\n`,
    'docs/responses.md': responsesPage(),
    'docs/routes.md': routesPage(),
    'docs/services.md': servicesPage(),
  };
}
