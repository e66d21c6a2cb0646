import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, readProjectFile } from './tree.ts';

/** Larger folders are hard to survey. */
const maxFiles = 12;

const files = projectFiles();
const sources = files.filter((file) => /^(src|plugins)\/.*\.(?:tsx?|css)$/.test(file) && !file.endsWith('.test.ts'));
const folders = Map.groupBy(sources, (file) => dirname(file));

/** A folder may contain more files if its README gives the reason. */
const explains = (folder: string): boolean =>
  files.includes(`${folder}/README.md`) && /^## Why so many files$/m.test(readProjectFile(`${folder}/README.md`));

describe('source folders', () => {
  it('are found', () => {
    expect(folders.size).toBeGreaterThan(40);
  });

  it(`contain at most ${maxFiles} files, not counting tests`, () => {
    const large = [...folders].filter(([folder, files]) => files.length > maxFiles && !explains(folder));
    expect(large.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([]);
  });
});
