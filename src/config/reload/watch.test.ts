import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ConfigWatcher, createWatcher } from './watch.ts';

const never = 3_600_000;
let folder: string;
let watcher: ConfigWatcher | undefined;
/** What the file held at each change; undefined when it was not there. */
let seen: (string | undefined)[];

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
const state = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000, interval: 10 });

/** Watches the paths, waits for the look that new paths get, and forgets it. */
async function watching(paths: readonly string[], pollMs = never): Promise<void> {
  watcher = createWatcher({
    onChange: () => seen.push(read(paths[0] ?? '')),
    pollMs,
    debounceMs: 20,
  });
  await watcher.setPaths(paths);
  await state(() => expect(seen).toHaveLength(1));
  seen.length = 0;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watch-'));
  seen = [];
});
afterEach(async () => {
  await watcher?.close();
  watcher = undefined;
  rmSync(folder, { recursive: true, force: true });
});

describe('the watcher', () => {
  it('sees a file that is written in place', async () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'one');
    await watching([file]);
    writeFileSync(file, 'two');
    await state(() => expect(seen.at(-1)).toBe('two'));
  });

  it('sees every save by renaming, again and again', async () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'zero');
    await watching([file]);
    for (const text of ['one', 'two', 'three']) {
      writeFileSync(join(folder, '.gateway.yaml.swp'), text);
      renameSync(join(folder, '.gateway.yaml.swp'), file);
      await state(() => expect(seen.at(-1)).toBe(text));
    }
  });

  it('sees three swaps of the link of a mounted volume, old folders deleted', async () => {
    const mount = join(folder, 'mount');
    const version = (n: number) => {
      mkdirSync(join(mount, `..v${n}`));
      writeFileSync(join(mount, `..v${n}`, 'gateway.yaml'), `version ${n}`);
    };
    mkdirSync(mount);
    version(0);
    symlinkSync('..v0', join(mount, '..data'));
    symlinkSync('..data/gateway.yaml', join(mount, 'gateway.yaml'));
    await watching([join(mount, 'gateway.yaml')]);
    for (const n of [1, 2, 3]) {
      version(n);
      symlinkSync(`..v${n}`, join(mount, '..data_tmp'));
      renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
      rmSync(join(mount, `..v${n - 1}`), { recursive: true });
      await state(() => expect(seen.at(-1)).toBe(`version ${n}`));
    }
  });

  it('follows a link out of its folder', async () => {
    mkdirSync(join(folder, 'app'));
    mkdirSync(join(folder, 'volume'));
    writeFileSync(join(folder, 'volume', 'gateway.yaml'), 'one');
    symlinkSync('../volume/gateway.yaml', join(folder, 'app', 'gateway.yaml'));
    await watching([join(folder, 'app', 'gateway.yaml')]);
    writeFileSync(join(folder, 'volume', 'new'), 'two');
    renameSync(join(folder, 'volume', 'new'), join(folder, 'volume', 'gateway.yaml'));
    await state(() => expect(seen.at(-1)).toBe('two'));
  });

  it.each(['one', 'two'])('sees what happens in a folder behind links, and their swaps: %s', async (link) => {
    const file = join(folder, 'one/conf/gateway.yaml');
    for (const name of ['a', 'b']) {
      mkdirSync(join(folder, name, 'conf'), { recursive: true });
      writeFileSync(join(folder, name, 'conf/gateway.yaml'), name);
    }
    symlinkSync('a', join(folder, 'two'));
    symlinkSync('two', join(folder, 'one'));
    await watching([file]);
    writeFileSync(join(folder, 'a/conf/gateway.yaml'), 'edited');
    await state(() => expect(seen.at(-1)).toBe('edited'));
    symlinkSync('b', join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, link));
    await state(() => expect(seen.at(-1)).toBe('b'));
    writeFileSync(join(folder, 'b/conf/gateway.yaml'), 'again');
    await state(() => expect(seen.at(-1)).toBe('again'));
  });

  it('sees edits in a folder that is a link', async () => {
    mkdirSync(join(folder, 'volume'));
    symlinkSync('volume', join(folder, 'app'));
    const file = join(folder, 'app/gateway.yaml');
    writeFileSync(file, 'one');
    await watching([file]);
    for (const text of ['two', 'three']) {
      writeFileSync(join(folder, 'volume/new'), text);
      renameSync(join(folder, 'volume/new'), join(folder, 'volume/gateway.yaml'));
      await state(() => expect(seen.at(-1)).toBe(text));
    }
  });

  it('sees a file vanish for a while and come back', async () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'one');
    await watching([file]);
    rmSync(file);
    await state(() => expect(seen).toEqual([undefined]));
    writeFileSync(file, 'two');
    await state(() => expect(seen.at(-1)).toBe('two'));
  });

  it('ends with the whole text when a file is written in halves', async () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'whole: 1');
    await watching([file]);
    writeFileSync(file, 'who');
    await state(() => expect(seen.at(-1)).toBe('who'));
    writeFileSync(file, 'whole: 2');
    await state(() => expect(seen.at(-1)).toBe('whole: 2'));
  });

  it('sees a new file in a watched folder, and a secret elsewhere', async () => {
    mkdirSync(join(folder, 'configs'));
    mkdirSync(join(folder, 'secrets'));
    const secret = join(folder, 'secrets', 'key');
    writeFileSync(secret, 'old');
    await watching([secret, join(folder, 'configs')]);
    writeFileSync(join(folder, 'configs', 'a.yaml'), 'x');
    await state(() => expect(seen).toHaveLength(1));
    writeFileSync(secret, 'new');
    await state(() => expect(seen.at(-1)).toBe('new'));
  });

  it('finds by its slow look what no event tells', async () => {
    for (const name of ['a', 'b']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'gateway.yaml'), name);
    }
    symlinkSync('a', join(folder, 'current'));
    await watching([join(folder, 'current', 'gateway.yaml')], 50);
    symlinkSync('b', join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, 'current'));
    await state(() => expect(seen.at(-1)).toBe('b'));
  });

  it('watches a folder anew that was deleted and made again', async () => {
    const file = join(folder, 'sub', 'gateway.yaml');
    mkdirSync(join(folder, 'sub'));
    writeFileSync(file, 'one');
    await watching([file], 50);
    rmSync(join(folder, 'sub'), { recursive: true });
    await state(() => expect(seen).toEqual([undefined]));
    mkdirSync(join(folder, 'sub'));
    writeFileSync(file, 'two');
    await state(() => expect(seen.at(-1)).toBe('two'));
    writeFileSync(file, 'three');
    await state(() => expect(seen.at(-1)).toBe('three'));
  });

  it('is silent about neighbours, the state directory, and writes that change nothing to the paths', async () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'one');
    await watching([file]);
    writeFileSync(join(folder, 'neighbour.log'), 'x');
    mkdirSync(join(folder, '.gateway'));
    writeFileSync(join(folder, '.gateway', 'spool'), 'x');
    // A marker that must be seen: by then the neighbours' events have come, and were no change.
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(seen).toEqual([]);
    writeFileSync(file, 'two');
    await state(() => expect(seen).toEqual(['two']));
  });

  it('forgets paths that are no longer named, and says nothing once closed', async () => {
    const [a, b] = [join(folder, 'a', 'x'), join(folder, 'b', 'x')];
    for (const path of [a, b]) {
      mkdirSync(join(path, '..'));
      writeFileSync(path, 'one');
    }
    await watching([a, b]);
    await watcher?.setPaths([a]);
    writeFileSync(b, 'two');
    writeFileSync(a, 'two');
    await state(() => expect(seen).toEqual(['two']));
    await watcher?.close();
    writeFileSync(a, 'three');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(seen).toEqual(['two']);
  });
});
