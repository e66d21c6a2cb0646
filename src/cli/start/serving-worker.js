// Entry point for `gateway/workers/process.ts`: enables the compile cache before it loads the server.
import { setFlagsFromString } from 'node:v8';
import { keepCompiled } from '../../compile-cache.js';

// The command line sets the other flags, which a worker inherits (bin.js).
setFlagsFromString('--no-maglev-destroy-on-background');
keepCompiled();
await import('./serving-worker.ts');
