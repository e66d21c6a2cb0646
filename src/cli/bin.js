#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=262144 node --no-allocation-site-pretenuring --max-semi-space-size=8 --v8-pool-size=1
// The installed command. The flags above are flags that Node 20 accepts, too: it ends at an unknown one.
// Plain JavaScript, so that an old Node prints this message instead of a syntax error.
import { setFlagsFromString } from 'node:v8';

const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`gateway needs Node 22.19 or newer; this is ${process.version}. In a clone, use: npm run gateway -- <command>\n`);
  process.exitCode = 2;
} else {
  setFlagsFromString('--no-maglev-destroy-on-background');
  const { followEarly } = await import('./early-signals.js');
  if (process.argv.slice(2).find((word) => !word.startsWith('-')) === 'start') followEarly();
  const { keepCompiled } = await import('../compile-cache.js');
  keepCompiled();
  await import('../main.ts');
}
