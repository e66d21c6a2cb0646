import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';
import { providers, stages } from '../plugins/index.ts';
import { loadConfig } from './config/load.ts';
import type { LoadAnswer, LoadQuestion } from './config/loader.ts';

/** The worker behind `config/loader.ts`: reads, resolves and checks a configuration, and posts what came of it. */
async function answer({ id, request }: LoadQuestion): Promise<LoadAnswer> {
  try {
    const importPlugin = (path: string): Promise<unknown> => import(pathToFileURL(path).href);
    return { id, loaded: await loadConfig({ ...request, providers, plugins: stages, importPlugin }) };
  } catch (error) {
    return { id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

parentPort?.on('message', (question: LoadQuestion) => {
  void answer(question).then((answered) => parentPort?.postMessage(answered));
});
