// What `config/loader.ts` starts: the cache first, then what it serves.
import { keepCompiled } from '../../compile-cache.js';

keepCompiled();
await import('./config-worker.ts');
