import { flushCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { providers, stages } from '../plugins/index.ts';
import { loadConfig } from './config/load.ts';
import type { LoadAnswer, LoadQuestion } from './config/loader.ts';

/** The process behind `config/loader.ts`: reads, resolves and checks a configuration, and sends what came of it. */
async function answer({ id, request }: LoadQuestion): Promise<LoadAnswer> {
  try {
    const importPlugin = (path: string): Promise<unknown> => import(pathToFileURL(path).href);
    return { id, loaded: await loadConfig({ ...request, providers, plugins: stages, importPlugin }) };
  } catch (error) {
    return { id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.on('message', (question) => {
  void answer(question as LoadQuestion).then((answered) => {
    process.send?.(answered);
    // It is ended without a warning, and would take what it compiled with it.
    flushCompileCache();
  });
});
// It ends with the gateway and not before: a terminal sends its signals to both.
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
