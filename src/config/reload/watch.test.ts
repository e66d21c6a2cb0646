import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fingerprint } from './fingerprint.ts';
import { type ConfigWatcher, createWatcher } from './watch.ts';

vi.mock('./fingerprint.ts', { spy: true });

const neverMs = 3_600_000;
let folder: string;
let watcher: ConfigWatcher | undefined;
/** The content of the file at each change; undefined if it did not exist. */
let changedPaths: (string | undefined)[];

const readIfPresent = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
const state = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000, interval: 10 });

/** Watches the paths, waits for the check that new paths get, and clears it. */
async function startWatching(paths: readonly string[], pollMs = neverMs): Promise<void> {
  watcher = createWatcher({
    onChange: () => changedPaths.push(readIfPresent(paths[0] ?? '')),
    pollMs,
    debounceMs: 20,
  });
  await watcher.setPaths(paths);
  await state(() => expect(changedPaths).toHaveLength(1));
  changedPaths.length = 0;
}

/** Waits until the comparisons that follow a new watch have ended. */
async function comparisonsToEnd(): Promise<void> {
  do {
    vi.mocked(fingerprint).mockClear();
    await pause(200);
  } while (vi.mocked(fingerprint).mock.calls.length > 0);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watch-'));
  changedPaths = [];
});
afterEach(async () => {
  await watcher?.close();
  watcher = undefined;
  rmSync(folder, { recursive: true, force: true });
});

describe('ConfigWatcher', () => {
  it('detects a file written in place', async () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'one');
    await startWatching([file]);
    writeFileSync(file, 'two');
    await state(() => expect(changedPaths.at(-1)).toBe('two'));
  });

  it('detects each save by rename', async () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'zero');
    await startWatching([file]);
    for (const text of ['one', 'two', 'three']) {
      writeFileSync(join(folder, '.gateway.yaml.swp'), text);
      renameSync(join(folder, '.gateway.yaml.swp'), file);
      await state(() => expect(changedPaths.at(-1)).toBe(text));
    }
  });

  it('detects three swaps of the symbolic link of a mounted volume, with old folders deleted', async () => {
    const mount = join(folder, 'mount');
    const version = (n: number) => {
      mkdirSync(join(mount, `..v${n}`));
      writeFileSync(join(mount, `..v${n}`, 'gateway.yaml'), `version ${n}`);
    };
    mkdirSync(mount);
    version(0);
    symlinkSync('..v0', join(mount, '..data'));
    symlinkSync('..data/gateway.yaml', join(mount, 'gateway.yaml'));
    await startWatching([join(mount, 'gateway.yaml')]);
    for (const n of [1, 2, 3]) {
      version(n);
      symlinkSync(`..v${n}`, join(mount, '..data_tmp'));
      renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
      rmSync(join(mount, `..v${n - 1}`), { recursive: true });
      await state(() => expect(changedPaths.at(-1)).toBe(`version ${n}`));
    }
  });

  it('follows a symbolic link to another folder', async () => {
    mkdirSync(join(folder, 'app'));
    mkdirSync(join(folder, 'volume'));
    writeFileSync(join(folder, 'volume', 'gateway.yaml'), 'one');
    symlinkSync('../volume/gateway.yaml', join(folder, 'app', 'gateway.yaml'));
    await startWatching([join(folder, 'app', 'gateway.yaml')]);
    writeFileSync(join(folder, 'volume', 'new'), 'two');
    renameSync(join(folder, 'volume', 'new'), join(folder, 'volume', 'gateway.yaml'));
    await state(() => expect(changedPaths.at(-1)).toBe('two'));
  });

  it.each(['one', 'two'])('detects edits behind a chain of symbolic links and a swap of the link: %s', async (link) => {
    const file = join(folder, 'one/conf/gateway.yaml');
    for (const name of ['a', 'b']) {
      mkdirSync(join(folder, name, 'conf'), { recursive: true });
      writeFileSync(join(folder, name, 'conf/gateway.yaml'), name);
    }
    symlinkSync('a', join(folder, 'two'));
    symlinkSync('two', join(folder, 'one'));
    await startWatching([file]);
    writeFileSync(join(folder, 'a/conf/gateway.yaml'), 'edited');
    await state(() => expect(changedPaths.at(-1)).toBe('edited'));
    symlinkSync('b', join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, link));
    await state(() => expect(changedPaths.at(-1)).toBe('b'));
    writeFileSync(join(folder, 'b/conf/gateway.yaml'), 'again');
    await state(() => expect(changedPaths.at(-1)).toBe('again'));
  });

  it('detects edits in a folder that is a symbolic link', async () => {
    mkdirSync(join(folder, 'volume'));
    symlinkSync('volume', join(folder, 'app'));
    const file = join(folder, 'app/gateway.yaml');
    writeFileSync(file, 'one');
    await startWatching([file]);
    for (const text of ['two', 'three']) {
      writeFileSync(join(folder, 'volume/new'), text);
      renameSync(join(folder, 'volume/new'), join(folder, 'volume/gateway.yaml'));
      await state(() => expect(changedPaths.at(-1)).toBe(text));
    }
  });

  it('detects that a file is deleted and created again', async () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'one');
    await startWatching([file]);
    rmSync(file);
    await state(() => expect(changedPaths).toEqual([undefined]));
    writeFileSync(file, 'two');
    await state(() => expect(changedPaths.at(-1)).toBe('two'));
  });

  it('reports the complete text after a file was written in two parts', async () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'whole: 1');
    await startWatching([file]);
    writeFileSync(file, 'who');
    await state(() => expect(changedPaths.at(-1)).toBe('who'));
    writeFileSync(file, 'whole: 2');
    await state(() => expect(changedPaths.at(-1)).toBe('whole: 2'));
  });

  it('detects a new file in a watched folder, and a changed secret in another folder', async () => {
    mkdirSync(join(folder, 'configs'));
    mkdirSync(join(folder, 'secrets'));
    const secret = join(folder, 'secrets', 'key');
    writeFileSync(secret, 'old');
    await startWatching([secret, join(folder, 'configs')]);
    writeFileSync(join(folder, 'configs', 'a.yaml'), 'x');
    await state(() => expect(changedPaths).toHaveLength(1));
    writeFileSync(secret, 'new');
    await state(() => expect(changedPaths.at(-1)).toBe('new'));
  });

  it('detects by polling a change without a file system event', async () => {
    for (const name of ['a', 'b']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'gateway.yaml'), name);
    }
    symlinkSync('a', join(folder, 'current'));
    await startWatching([join(folder, 'current', 'gateway.yaml')], 50);
    symlinkSync('b', join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, 'current'));
    await state(() => expect(changedPaths.at(-1)).toBe('b'));
  });

  it('watches a folder again after it was deleted and created again', async () => {
    const file = join(folder, 'sub', 'gateway.yaml');
    mkdirSync(join(folder, 'sub'));
    writeFileSync(file, 'one');
    await startWatching([file], 50);
    rmSync(join(folder, 'sub'), { recursive: true });
    await state(() => expect(changedPaths).toEqual([undefined]));
    mkdirSync(join(folder, 'sub'));
    writeFileSync(file, 'two');
    await state(() => expect(changedPaths.at(-1)).toBe('two'));
    writeFileSync(file, 'three');
    await state(() => expect(changedPaths.at(-1)).toBe('three'));
  });

  it('ignores other files and the state directory', async () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'one');
    await startWatching([file]);
    writeFileSync(join(folder, 'neighbour.log'), 'x');
    mkdirSync(join(folder, '.gateway'));
    writeFileSync(join(folder, '.gateway', 'spool'), 'x');
    // By then the events of the other files have arrived and were not reported.
    await pause(150);
    expect(changedPaths).toEqual([]);
    writeFileSync(file, 'two');
    await state(() => expect(changedPaths).toEqual(['two']));
  });

  it('does not compare files while a log file in the same folder grows', async () => {
    const file = join(folder, 'gateway.yaml');
    const log = join(folder, 'gateway.log');
    writeFileSync(file, 'one');
    writeFileSync(log, '');
    await startWatching([file]);
    vi.mocked(fingerprint).mockClear();
    for (let line = 0; line < 30; line += 1) {
      appendFileSync(log, 'a request\n');
      await pause(30);
    }
    // A new watch is followed by a few comparisons.
    expect(vi.mocked(fingerprint).mock.calls.length).toBeLessThan(10);
    writeFileSync(file, 'two');
    await state(() => expect(changedPaths).toEqual(['two']));
  });

  it('detects a file that is written in place behind a symbolic link with another name', async () => {
    mkdirSync(join(folder, 'volume'));
    mkdirSync(join(folder, 'app'));
    writeFileSync(join(folder, 'volume/live.txt'), 'one');
    symlinkSync('../volume/live.txt', join(folder, 'app/gateway.yaml'));
    await startWatching([join(folder, 'app/gateway.yaml')]);
    await comparisonsToEnd();
    writeFileSync(join(folder, 'volume/live.txt'), 'two');
    await state(() => expect(changedPaths.at(-1)).toBe('two'));
  });

  it('ignores paths that are no longer watched, and reports nothing after close()', async () => {
    const [a, b] = [join(folder, 'a', 'x'), join(folder, 'b', 'x')];
    for (const path of [a, b]) {
      mkdirSync(join(path, '..'));
      writeFileSync(path, 'one');
    }
    await startWatching([a, b]);
    await watcher?.setPaths([a]);
    writeFileSync(b, 'two');
    writeFileSync(a, 'two');
    await state(() => expect(changedPaths).toEqual(['two']));
    await watcher?.close();
    writeFileSync(a, 'three');
    await pause(100);
    expect(changedPaths).toEqual(['two']);
  });
});
