import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, readProjectFile } from './tree.ts';

/** More than this nobody reads at a glance. */
const most = 12;

const files = projectFiles();
const sources = files.filter((file) => /^(src|plugins)\/.*\.(?:tsx?|css)$/.test(file) && !file.endsWith('.test.ts'));
const folders = Map.groupBy(sources, (file) => dirname(file));

/** A folder may hold more where its README says why. */
const explains = (folder: string): boolean =>
  files.includes(`${folder}/README.md`) && /^## Why so many files$/m.test(readProjectFile(`${folder}/README.md`));

describe('folders of the sources', () => {
  it('are looked at', () => {
    expect(folders.size).toBeGreaterThan(40);
  });

  it(`hold at most ${most} files, tests apart`, () => {
    const large = [...folders].filter(([folder, held]) => held.length > most && !explains(folder));
    expect(large.map(([folder, held]) => `${folder}: ${held.length}`)).toEqual([]);
  });
});
