// Entry point for `gateway/workers/process.ts`: enables the compile cache before it loads the server.
import { keepCompiled } from '../../compile-cache.js';

keepCompiled();
await import('./serving-worker.ts');
