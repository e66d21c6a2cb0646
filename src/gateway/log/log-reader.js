// What `open.ts` starts as a process: the cache first, then what it serves.
import { keepCompiled } from '../../compile-cache.js';

keepCompiled();
await import('./log-reader.ts');
