import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generatedFiles } from './pages/index.ts';
import { root } from './tree.ts';

/** `npm run gen`: writes the generated files that have changed, and names them. */
for (const [file, text] of Object.entries(generatedFiles())) {
  const path = join(root, file);
  if (current(path) === text) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(`wrote ${file}`);
}

function current(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
