import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLoader, LoaderFailure } from './loader.ts';
import { createReloader, type Reloader, type ReloaderOptions, type ReloadResult } from './reloader.ts';
import type { ValidConfig } from './load.ts';

let folder: string;
let reloader: Reloader | undefined;
let results: ReloadResult[];
let applied: ValidConfig[];

const state = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000, interval: 10 });
const config = (model: string) => `version: 1\nproviders: {mock: {type: mock}}\nconfigs: {a: {targets: [mock/${model}]}}\n`;
const writeConfig = (text: string, name = 'gateway.yaml') => {
  writeFileSync(join(folder, '.new'), text);
  renameSync(join(folder, '.new'), join(folder, name));
};

/** On a busy machine, a load that is not itself delayed may take long. */
const loaderWithoutHurry = () => createLoader(new URL('../../gateway/loading/config-worker.ts', import.meta.url), { limitMs: 60_000 });

function create(overrides: Partial<ReloaderOptions> = {}): Reloader {
  reloader = createReloader({
    request: { source: { path: 'gateway.yaml' }, cwd: folder, env: {} },
    loader: loaderWithoutHurry(),
    watch: true,
    apply: async (loaded) => void applied.push(loaded),
    onResult: (result) => results.push(result),
    now: () => performance.now(),
    ...overrides,
  });
  return reloader;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reload-'));
  results = [];
  applied = [];
});
afterEach(async () => {
  await reloader?.close();
  reloader = undefined;
  rmSync(folder, { recursive: true, force: true });
});

describe('Reloader', () => {
  it('applies the first load and every changed one, and reports what changed', async () => {
    writeConfig(config('one'));
    expect(await create().start()).toMatchObject({ kind: 'applied', changes: [], restart: [] });
    writeConfig(config('two'));
    await state(() => expect(results).toMatchObject([{ kind: 'applied', changes: ['~configs.a'], restart: [] }]));
    expect(applied.map(({ tree }) => tree.configs?.['a']?.targets)).toEqual([['mock/one'], ['mock/two']]);
    expect(applied[0]?.revision).not.toBe(applied[1]?.revision);
  });

  it('keeps the configuration after a broken edit, and reports the failure and the recovery once each', async () => {
    writeConfig(config('one'));
    await create().start();
    writeConfig('version: 1\nproviderz: {}\n');
    await state(() =>
      expect(results).toMatchObject([{ kind: 'rejected', revision: applied[0]?.revision, diagnostics: [{ code: 'unknown-key' }] }]),
    );
    // Another edit with the same problem is not reported.
    writeConfig('version: 1\nproviderz: {}\n# again\n');
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'rejected' });
    writeConfig(config('one'));
    await state(() => expect(results.at(-1)).toEqual({ kind: 'unchanged', revision: applied[0]?.revision, recovered: true }));
    expect(applied).toHaveLength(1);
  });

  it('applies a changed order of prices, because the first match counts', async () => {
    const price = { 'mock/a*': '{input: 1, output: 1}', 'mock/ab*': '{input: 2, output: 2}' };
    const configWithPrices = (...patterns: (keyof typeof price)[]): string =>
      `${config('one')}pricing: {${patterns.map((pattern) => `"${pattern}": ${price[pattern]}`).join(', ')}}\n`;
    writeConfig(configWithPrices('mock/ab*', 'mock/a*'));
    await create({ watch: false }).start();
    writeConfig(configWithPrices('mock/a*', 'mock/ab*'));
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'applied', changes: [], restart: [] });
    expect(Object.keys(applied.at(-1)?.tree.pricing ?? {})).toEqual(['mock/a*', 'mock/ab*']);
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'unchanged' });
  });

  it('does not report recovery if a held configuration is applied over a broken file', async () => {
    writeConfig(config('one'));
    await create().start();
    const texts = applied[0]?.texts ?? {};
    writeConfig('version: 1\nproviderz: {}\n');
    await state(() => expect(results).toMatchObject([{ kind: 'rejected' }]));
    expect(await reloader?.useOverride(texts)).toMatchObject({ kind: 'unchanged' });
    expect(reloader?.isOverridden).toBe(true);
    // Written again unchanged: no recovery is reported.
    writeConfig('version: 1\nproviderz: {}\n');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect([results.length, reloader?.isOverridden]).toEqual([1, true]);
    writeConfig(config('one'));
    await state(() => expect(results.at(-1)).toEqual({ kind: 'unchanged', revision: applied[0]?.revision, recovered: true }));
    expect(reloader?.isOverridden).toBe(false);
  });

  it('does not apply or report an edit that changes only comments', async () => {
    writeConfig(config('one'));
    await create().start();
    writeConfig(`# a remark\n${config('one')}`);
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'unchanged', recovered: false });
    expect(applied).toHaveLength(1);
    expect(results).toHaveLength(1);
    const { serving } = reloader ?? {};
    expect(serving?.texts).toEqual({ [join(folder, 'gateway.yaml')]: `# a remark\n${config('one')}` });
    const written = serving === undefined ? undefined : await reloader?.locate(serving);
    expect(written?.locations['configs.a']).toMatchObject({ line: 4 });
  });

  it('keeps the configuration if applying a new one fails, and applies the next good one', async () => {
    writeConfig(config('one'));
    const failure = { now: false };
    await create({
      watch: false,
      apply: async (loaded) => {
        if (failure.now) throw new Error('no such plugin');
        applied.push(loaded);
      },
    }).start();
    failure.now = true;
    writeConfig(config('two'));
    expect(await reloader?.reloadNow()).toMatchObject({
      kind: 'rejected',
      revision: applied[0]?.revision,
      cause: { message: 'no such plugin' },
    });
    failure.now = false;
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'applied', changes: ['~configs.a'] });
  });

  it('detects added, changed and removed includes and secret files', async () => {
    mkdirSync(join(folder, 'configs'));
    writeConfig('key-one', 'secret');
    writeConfig(`version: 1\ninclude: [configs/*.yaml]\nproviders: {p: {type: openai, api_key: "\${file:secret}"}}\n`);
    await create().start();
    writeConfig('configs: {b: {targets: [p/x]}}\n', 'configs/b.yaml');
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['+configs.b'] }));
    writeConfig('key-two', 'secret');
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['~providers.p'] }));
    rmSync(join(folder, 'secret'));
    await state(() =>
      expect(results.at(-1)).toMatchObject({
        kind: 'rejected',
        diagnostics: expect.arrayContaining([expect.objectContaining({ code: 'unreadable-file' })]) as object[],
      }),
    );
    writeConfig('key-three', 'secret');
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['~providers.p'] }));
    rmSync(join(folder, 'configs', 'b.yaml'));
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['-configs.b'] }));
  });

  it.each(['teams/*/*.yaml', 'teams/**/*.yaml'])('detects files in new and existing folders that %s matches', async (pattern) => {
    mkdirSync(join(folder, 'teams', 'a'), { recursive: true });
    symlinkSync('loop', join(folder, 'teams', 'loop'));
    writeConfig('configs: {a: {targets: [mock/x]}}\n', 'teams/a/one.yaml');
    writeConfig(`version: 1\ninclude: ["${pattern}"]\nproviders: {mock: {type: mock}}\n`);
    // Polling is too slow here: only file system events can report a change.
    await create({ pollMs: 3_600_000 }).start();
    writeConfig('configs: {b: {targets: [mock/x]}}\n', 'teams/a/two.yaml');
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['+configs.b'] }));
    mkdirSync(join(folder, 'teams', 'b'));
    writeConfig('configs: {c: {targets: [mock/x]}}\n', 'teams/b/three.yaml');
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['+configs.c'] }));
    writeConfig('configs: {d: {targets: [mock/x]}}\n', 'teams/b/four.yaml');
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['+configs.d'] }));
  });

  it('loads once more for many changes during one load', async () => {
    writeConfig(config('one'));
    const startNext: (() => void)[] = [];
    let loads = 0;
    const innerLoader = loaderWithoutHurry();
    await create({
      watch: false,
      loader: {
        close: () => innerLoader.close(),
        locate: (source, limit) => innerLoader.locate(source, limit),
        prepare: () => innerLoader.prepare(),
        load: async (request) => {
          loads += 1;
          if (loads > 1) await new Promise<void>((resolve) => startNext.push(resolve));
          return innerLoader.load(request);
        },
      },
    }).start();
    const first = reloader?.reloadNow();
    await state(() => expect(startNext).toHaveLength(1));
    const laterReloads = [1, 2, 3].map(() => (reloader as Reloader).reloadNow());
    writeConfig(config('two'));
    startNext[0]?.();
    await first;
    await state(() => expect(startNext).toHaveLength(2));
    startNext[1]?.();
    await Promise.all(laterReloads);
    expect(loads).toBe(3);
    expect(applied).toHaveLength(2);
  });

  it('retries once if the loader dies', async () => {
    writeConfig(config('one'));
    let loads = 0;
    const innerLoader = loaderWithoutHurry();
    await create({
      watch: false,
      loader: {
        close: () => innerLoader.close(),
        locate: (source, limit) => innerLoader.locate(source, limit),
        prepare: () => innerLoader.prepare(),
        load: (request) => {
          loads += 1;
          return loads === 2 || loads > 3 ? Promise.reject(new Error('died')) : innerLoader.load(request);
        },
      },
    }).start();
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'unchanged' });
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'rejected', diagnostics: [], cause: { message: 'died' } });
  });

  it('retries a load that dies or times out until one ends, with a longer timeout each time', async () => {
    writeConfig(config('one'));
    const limits: (number | undefined)[] = [];
    let failing = 0;
    const innerLoader = loaderWithoutHurry();
    await create({
      watch: false,
      retryMs: 10,
      loader: {
        close: () => innerLoader.close(),
        locate: (source, limit) => innerLoader.locate(source, limit),
        prepare: () => innerLoader.prepare(),
        load: (request, limit) => {
          if (failing === 0) return innerLoader.load(request);
          failing -= 1;
          limits.push(limit);
          return Promise.reject(new LoaderFailure('loading took too long'));
        },
      },
    }).start();
    writeConfig(config('two'));
    failing = 7;
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'rejected', cause: { message: 'loading took too long' } });
    // Without a request or a file change, the good file is applied.
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['~configs.a'] }));
    expect(limits).toEqual([10_000, 60_000, 20_000, 120_000, 40_000, 240_000, 80_000]);
    expect(results.filter(({ kind }) => kind === 'rejected')).toHaveLength(1);
  });

  it('prepares the worker at the first file system event, before the change is known', async () => {
    writeConfig(config('one'));
    const calls: string[] = [];
    const innerLoader = loaderWithoutHurry();
    await create({
      loader: {
        close: () => innerLoader.close(),
        locate: (source, limit) => innerLoader.locate(source, limit),
        prepare: () => {
          calls.push('prepare');
          innerLoader.prepare();
        },
        load: (request) => {
          calls.push('load');
          return innerLoader.load(request);
        },
      },
    }).start();
    // The check that follows every start.
    await state(() => expect(calls).toEqual(['load', 'load']));
    calls.length = 0;
    writeConfig(config('two'));
    await state(() => expect(calls).toContain('load'));
    expect(calls[0]).toBe('prepare');
  });

  it('does not apply a file that changed while it was read', async () => {
    writeConfig(config('one'));
    let writing = false;
    const innerLoader = loaderWithoutHurry();
    await create({
      watch: false,
      loader: {
        close: () => innerLoader.close(),
        locate: (source, limit) => innerLoader.locate(source, limit),
        prepare: () => innerLoader.prepare(),
        // The file changes in the middle of the load: the text read is valid, but incomplete.
        load: async (request) => {
          if (writing) writeFileSync(join(folder, 'gateway.yaml'), 'version: 1\n');
          const loaded = await innerLoader.load(request);
          if (writing) writeFileSync(join(folder, 'gateway.yaml'), config('two'));
          writing = false;
          return loaded;
        },
      },
    }).start();
    writing = true;
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'applied', changes: ['~configs.a'] });
    expect(applied).toHaveLength(2);
  });

  it('returns the diagnostics if the first load is invalid, and does not watch', async () => {
    writeConfig('version: 2\n');
    const result = await create().start();
    expect(result).toMatchObject({ kind: 'rejected', revision: undefined });
    expect(result.kind === 'rejected' && result.diagnostics.length).toBeGreaterThan(0);
    expect(results).toEqual([]);
  });

  it('reports nothing after close()', async () => {
    writeConfig(config('one'));
    await create().start();
    const lateReload = reloader?.reloadNow();
    await reloader?.close();
    expect(await lateReload).toMatchObject({ kind: 'rejected' });
    expect(results).toEqual([]);
  });
});
