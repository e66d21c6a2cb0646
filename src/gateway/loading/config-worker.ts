import { flushCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { providers, stages } from '../../../plugins/index.ts';
import { type LoadRequest, loadConfig } from '../../config/reload/load.ts';
import type { LoadResponse, LoadMessage, PostedRequest } from '../../config/reload/loader.ts';
import { locateWritten } from '../../config/report/origins.ts';
import { Validators } from '../../config/validate/schemas/validators.ts';
import { createMask } from '../../core/secrets/mask.ts';

/** The child process of `config/reload/loader.ts`: reads, resolves and checks a configuration, or locates its values, and sends the result. */
async function respondTo(message: LoadMessage): Promise<LoadResponse> {
  const { id } = message;
  try {
    if ('locate' in message) return { id, result: locateWritten({ ...message.locate, providers }) };
    const result = await load(message.request);
    secrets = result.secrets;
    return { id, result };
  } catch (error) {
    return { id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

const importPlugin = (path: string): Promise<unknown> => import(pathToFileURL(path).href);
const validators = new Validators([providers, ...providers, ...stages]);
const fixedOptions: Omit<LoadRequest, 'source' | 'cwd' | 'env'> = { providers, plugins: stages, importPlugin, validators };
const load = (request: PostedRequest) => loadConfig({ ...request, ...fixedOptions });

/** Secrets of the last configuration, which the code of its plugins knows. */
let secrets: readonly string[] = [];
let lastLoad = Promise.resolve();

process.on('message', (question) => {
  lastLoad = respondTo(question as LoadMessage).then((response) => {
    process.send?.(response);
    // This process is killed without warning, and would lose its compile cache.
    flushCompileCache();
  });
});

/**
 * An exception that a plugin throws after its import, such as in a timer, ends this process; the next load starts another.
 * It is printed after the load, which finds the secrets: Node would print them.
 */
async function endAfterLoad(error: unknown): Promise<void> {
  await lastLoad;
  process.stderr.write(`${createMask(secrets).text(inspect(error))}\n`, () => process.exit(1));
}

process.on('uncaughtException', (error) => void endAfterLoad(error));
// The process that serves imports the same plugins, and logs their warnings.
process.removeAllListeners('warning');
// The process ends with the gateway and not before: a terminal sends its signals to both.
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2']) process.on(signal, () => {});

// The process is often started shortly before the first question: this load compiles the code that every load needs.
await load({ source: { text: 'version: 1', name: 'preparation' }, cwd: process.cwd(), env: {} });
