// Preloaded with `--import` into a command, workers included: appends the name of each npm package that is loaded
// to the file named by GATEWAY_LOADED_PACKAGES.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const marker = '/node_modules/';
const seen = new Set();

registerHooks({
  load(url, context, next) {
    const at = url.lastIndexOf(marker);
    if (at >= 0) {
      const parts = url.slice(at + marker.length).split('/');
      const name = parts.slice(0, parts[0].startsWith('@') ? 2 : 1).join('/');
      if (!seen.has(name)) appendFileSync(process.env.GATEWAY_LOADED_PACKAGES, `${name}\n`);
      seen.add(name);
    }
    return next(url, context);
  },
});
