import { describe, expect, it } from 'vitest';
import { errorCatalogue } from '../../src/core/error.ts';
import { generatedFiles } from './pages/index.ts';
import { readProjectFile } from './tree.ts';

describe('generated files', () => {
  it.each(Object.entries(generatedFiles()))('%s is up to date with `npm run gen`', (file, text) => {
    expect(readProjectFile(file)).toBe(text);
  });

  it('docs/errors.md has a heading for each error code', () => {
    const headings = readProjectFile('docs/errors.md').match(/^## (.+)$/gm);
    expect(headings).toEqual(Object.keys(errorCatalogue).map((code) => `## ${code}`));
  });
});
