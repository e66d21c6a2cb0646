// What `open.ts` starts as threads: the cache first, then what it serves.
import { keepCompiled } from '../../compile-cache.js';

keepCompiled();
await import('./log-worker.ts');
