import { createLoader, type Loader } from '../../config/reload/loader.ts';

/** Loads configurations in a process of its own. Imports nothing else: `start` prepares it before all other code is read. */
export const openLoader = (): Loader => createLoader(new URL('./config-worker.js', import.meta.url));
