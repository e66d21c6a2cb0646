import { createLoader, type Loader } from '../../config/reload/loader.ts';

/** Loads configurations in a child process. Imports nothing else, because `start` calls it before all other code is imported. */
export const openLoader = (): Loader => createLoader(new URL('./config-worker.js', import.meta.url));
