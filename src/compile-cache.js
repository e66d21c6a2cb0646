// Plain JavaScript: what this keeps from being compiled begins with the file after it.
import { mkdirSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Lets Node keep what it compiled, so that the next start neither strips types nor compiles: it is quicker, and saves
 * the 35 MB that the stripper holds on to. Call it before the imports that are worth it. `NODE_COMPILE_CACHE` names
 * another folder, `NODE_DISABLE_COMPILE_CACHE` switches it off.
 */
export function keepCompiled(folder = fileURLToPath(new URL('../node_modules/.cache/gateway', import.meta.url))) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isOurs(statSync(folder))) enableCompileCache(folder);
  } catch {
    // A package that can't be written to compiles anew at each start.
  }
}

/** The code that runs is read from there, so nobody else may write it. */
function isOurs({ uid, mode }) {
  const user = process.getuid?.();
  return user === undefined || ((uid === user || uid === 0) && (mode & 0o022) === 0);
}
