import { flushCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { providers, stages } from '../../../plugins/index.ts';
import { type LoadRequest, loadConfig } from '../../config/reload/load.ts';
import type { LoadResponse, LoadMessage, PostedRequest } from '../../config/reload/loader.ts';
import { Validators } from '../../config/validate/schemas/validators.ts';

/** The child process of `config/reload/loader.ts`: reads, resolves and checks a configuration, and sends the result. */
async function respondTo({ id, request }: LoadMessage): Promise<LoadResponse> {
  try {
    return { id, loaded: await load(request) };
  } catch (error) {
    return { id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

const importPlugin = (path: string): Promise<unknown> => import(pathToFileURL(path).href);
const validators = new Validators([providers, ...providers, ...stages]);
const fixedOptions: Omit<LoadRequest, 'source' | 'cwd' | 'env'> = { providers, plugins: stages, importPlugin, validators };
const load = (request: PostedRequest) => loadConfig({ ...request, ...fixedOptions });

process.on('message', (question) => {
  void respondTo(question as LoadMessage).then((response) => {
    process.send?.(response);
    // This process is killed without warning, and would lose its compile cache.
    flushCompileCache();
  });
});
// The process ends with the gateway and not before: a terminal sends its signals to both.
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2']) process.on(signal, () => {});

// The process is often started shortly before the first question: this load compiles the code that every load needs.
await load({ source: { text: 'version: 1', name: 'preparation' }, cwd: process.cwd(), env: {} });
