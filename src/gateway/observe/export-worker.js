// What `exporting.ts` starts as a thread: the cache first, then what it serves.
import { keepCompiled } from '../../compile-cache.js';

keepCompiled();
await import('./export-worker.ts');
