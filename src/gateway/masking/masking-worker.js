// What `index.ts` starts as a thread: the cache first, then what it serves.
import { keepCompiled } from '../../compile-cache.js';

keepCompiled();
await import('./masking-worker.ts');
