// What `gateway/workers/process.ts` starts: the cache first, then what it serves.
import { keepCompiled } from '../../compile-cache.js';

keepCompiled();
await import('./serving-worker.ts');
