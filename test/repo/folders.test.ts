import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, readProjectFile } from './tree.ts';

/** More than this nobody reads at a glance. */
const most = 12;

/** Folders that are still to be divided. */
const open: ReadonlySet<string> = new Set([
  'src/formats/anthropic-messages/request',
  'src/formats/google-generate/request',
  'src/formats/shared',
]);

const files = projectFiles();
const sources = files.filter((file) => /^(src|plugins)\/.*\.ts$/.test(file) && !file.endsWith('.test.ts'));
const folders = Map.groupBy(sources, (file) => dirname(file));

/** A folder may hold more where its README says why. */
const explains = (folder: string): boolean =>
  files.includes(`${folder}/README.md`) && /^## Why so many files$/m.test(readProjectFile(`${folder}/README.md`));

describe('folders of the sources', () => {
  it('are looked at', () => {
    expect(folders.size).toBeGreaterThan(40);
  });

  it(`hold at most ${most} files, tests apart`, () => {
    const large = [...folders].filter(([folder, held]) => held.length > most && !open.has(folder) && !explains(folder));
    expect(large.map(([folder, held]) => `${folder}: ${held.length}`)).toEqual([]);
  });

  it('are off the list of open ones once they are divided', () => {
    expect([...open].filter((folder) => (folders.get(folder)?.length ?? 0) <= most)).toEqual([]);
  });
});
