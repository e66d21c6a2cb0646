import { describe, expect, it } from 'vitest';
import { errorCatalogue } from '../../src/core/error.ts';
import { generatedFiles } from './pages/index.ts';
import { readProjectFile } from './tree.ts';

describe('generated files', () => {
  it.each(Object.entries(generatedFiles()))('%s is what `npm run gen` writes', (file, text) => {
    expect(readProjectFile(file)).toBe(text);
  });

  it('the error page has a heading for each code', () => {
    const headings = readProjectFile('docs/errors.md').match(/^## (.+)$/gm);
    expect(headings).toEqual(Object.keys(errorCatalogue).map((code) => `## ${code}`));
  });
});
