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
const save = (text: string, name = 'gateway.yaml') => {
  writeFileSync(join(folder, '.new'), text);
  renameSync(join(folder, '.new'), join(folder, name));
};

function create(over: Partial<ReloaderOptions> = {}): Reloader {
  reloader = createReloader({
    request: { source: { path: 'gateway.yaml' }, cwd: folder, env: {} },
    loader: createLoader(new URL('../../gateway/loading/config-worker.ts', import.meta.url)),
    watch: true,
    apply: async (loaded) => void applied.push(loaded),
    onResult: (result) => results.push(result),
    now: () => performance.now(),
    ...over,
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
    save(config('one'));
    expect(await create().start()).toMatchObject({ kind: 'applied', changes: [], restart: [] });
    save(config('two'));
    await state(() => expect(results).toMatchObject([{ kind: 'applied', changes: ['~configs.a'], restart: [] }]));
    expect(applied.map(({ tree }) => tree.configs?.['a']?.targets)).toEqual([['mock/one'], ['mock/two']]);
    expect(applied[0]?.revision).not.toBe(applied[1]?.revision);
  });

  it('keeps the configuration after a broken edit, and reports the failure and the recovery once each', async () => {
    save(config('one'));
    await create().start();
    save('version: 1\nproviderz: {}\n');
    await state(() =>
      expect(results).toMatchObject([{ kind: 'rejected', revision: applied[0]?.revision, diagnostics: [{ code: 'unknown-key' }] }]),
    );
    // Another edit with the same problem is not reported.
    save('version: 1\nproviderz: {}\n# again\n');
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'rejected' });
    save(config('one'));
    await state(() => expect(results.at(-1)).toEqual({ kind: 'unchanged', revision: applied[0]?.revision, recovered: true }));
    expect(applied).toHaveLength(1);
  });

  it('applies a changed order of prices, because the first match counts', async () => {
    const price = { 'mock/a*': '{input: 1, output: 1}', 'mock/ab*': '{input: 2, output: 2}' };
    const priced = (...patterns: (keyof typeof price)[]): string =>
      `${config('one')}pricing: {${patterns.map((pattern) => `"${pattern}": ${price[pattern]}`).join(', ')}}\n`;
    save(priced('mock/ab*', 'mock/a*'));
    await create({ watch: false }).start();
    save(priced('mock/a*', 'mock/ab*'));
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'applied', changes: [], restart: [] });
    expect(Object.keys(applied.at(-1)?.tree.pricing ?? {})).toEqual(['mock/a*', 'mock/ab*']);
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'unchanged' });
  });

  it('does not report recovery if a held configuration is applied over a broken file', async () => {
    save(config('one'));
    await create().start();
    const texts = applied[0]?.texts ?? {};
    save('version: 1\nproviderz: {}\n');
    await state(() => expect(results).toMatchObject([{ kind: 'rejected' }]));
    expect(await reloader?.useOverride(texts)).toMatchObject({ kind: 'unchanged' });
    expect(reloader?.isOverridden).toBe(true);
    // Written again unchanged: no recovery is reported.
    save('version: 1\nproviderz: {}\n');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect([results.length, reloader?.isOverridden]).toEqual([1, true]);
    save(config('one'));
    await state(() => expect(results.at(-1)).toEqual({ kind: 'unchanged', revision: applied[0]?.revision, recovered: true }));
    expect(reloader?.isOverridden).toBe(false);
  });

  it('does not apply or report an edit that changes only comments', async () => {
    save(config('one'));
    await create().start();
    save(`# a remark\n${config('one')}`);
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'unchanged', recovered: false });
    expect(applied).toHaveLength(1);
    expect(results).toHaveLength(1);
    const seen = await reloader?.inspect(undefined, { wantsPlaces: true });
    expect(seen?.texts).toEqual({ [join(folder, 'gateway.yaml')]: `# a remark\n${config('one')}` });
    expect(seen?.written?.places['configs.a']).toMatchObject({ line: 4 });
  });

  it('keeps the configuration if applying a new one fails, and applies the next good one', async () => {
    save(config('one'));
    const failing = { now: false };
    await create({
      watch: false,
      apply: async (loaded) => {
        if (failing.now) throw new Error('no such plugin');
        applied.push(loaded);
      },
    }).start();
    failing.now = true;
    save(config('two'));
    expect(await reloader?.reloadNow()).toMatchObject({
      kind: 'rejected',
      revision: applied[0]?.revision,
      cause: { message: 'no such plugin' },
    });
    failing.now = false;
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'applied', changes: ['~configs.a'] });
  });

  it('detects added, changed and removed includes and secret files', async () => {
    mkdirSync(join(folder, 'configs'));
    save('key-one', 'secret');
    save(`version: 1\ninclude: [configs/*.yaml]\nproviders: {p: {type: openai, api_key: "\${file:secret}"}}\n`);
    await create().start();
    save('configs: {b: {targets: [p/x]}}\n', 'configs/b.yaml');
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['+configs.b'] }));
    save('key-two', 'secret');
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['~providers.p'] }));
    rmSync(join(folder, 'secret'));
    await state(() =>
      expect(results.at(-1)).toMatchObject({
        kind: 'rejected',
        diagnostics: expect.arrayContaining([expect.objectContaining({ code: 'unreadable-file' })]) as object[],
      }),
    );
    save('key-three', 'secret');
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['~providers.p'] }));
    rmSync(join(folder, 'configs', 'b.yaml'));
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['-configs.b'] }));
  });

  it.each(['teams/*/*.yaml', 'teams/**/*.yaml'])('detects files in new and existing folders that %s matches', async (pattern) => {
    mkdirSync(join(folder, 'teams', 'a'), { recursive: true });
    symlinkSync('loop', join(folder, 'teams', 'loop'));
    save('configs: {a: {targets: [mock/x]}}\n', 'teams/a/one.yaml');
    save(`version: 1\ninclude: ["${pattern}"]\nproviders: {mock: {type: mock}}\n`);
    // Polling is too slow here: only file system events can report a change.
    await create({ pollMs: 3_600_000 }).start();
    save('configs: {b: {targets: [mock/x]}}\n', 'teams/a/two.yaml');
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['+configs.b'] }));
    mkdirSync(join(folder, 'teams', 'b'));
    save('configs: {c: {targets: [mock/x]}}\n', 'teams/b/three.yaml');
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['+configs.c'] }));
    save('configs: {d: {targets: [mock/x]}}\n', 'teams/b/four.yaml');
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['+configs.d'] }));
  });

  it('loads once more for many changes during one load', async () => {
    save(config('one'));
    const begun: (() => void)[] = [];
    let loads = 0;
    const inner = createLoader(new URL('../../gateway/loading/config-worker.ts', import.meta.url));
    await create({
      watch: false,
      loader: {
        close: () => inner.close(),
        prepare: () => inner.prepare(),
        load: async (request) => {
          loads += 1;
          if (loads > 1) await new Promise<void>((resolve) => begun.push(resolve));
          return inner.load(request);
        },
      },
    }).start();
    const first = reloader?.reloadNow();
    await state(() => expect(begun).toHaveLength(1));
    const later = [1, 2, 3].map(() => (reloader as Reloader).reloadNow());
    save(config('two'));
    begun[0]?.();
    await first;
    await state(() => expect(begun).toHaveLength(2));
    begun[1]?.();
    await Promise.all(later);
    expect(loads).toBe(3);
    expect(applied).toHaveLength(2);
  });

  it('retries once if the loader dies', async () => {
    save(config('one'));
    let loads = 0;
    const inner = createLoader(new URL('../../gateway/loading/config-worker.ts', import.meta.url));
    await create({
      watch: false,
      loader: {
        close: () => inner.close(),
        prepare: () => inner.prepare(),
        load: (request) => {
          loads += 1;
          return loads === 2 || loads > 3 ? Promise.reject(new Error('died')) : inner.load(request);
        },
      },
    }).start();
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'unchanged' });
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'rejected', diagnostics: [], cause: { message: 'died' } });
  });

  it('retries a load that dies or times out until one ends, with a longer timeout each time', async () => {
    save(config('one'));
    const limits: (number | undefined)[] = [];
    let failing = 0;
    const inner = createLoader(new URL('../../gateway/loading/config-worker.ts', import.meta.url));
    await create({
      watch: false,
      retryMs: 10,
      loader: {
        close: () => inner.close(),
        prepare: () => inner.prepare(),
        load: (request, limit) => {
          if (failing === 0) return inner.load(request);
          failing -= 1;
          limits.push(limit);
          return Promise.reject(new LoaderFailure('loading took too long'));
        },
      },
    }).start();
    save(config('two'));
    failing = 7;
    expect(await reloader?.reloadNow()).toMatchObject({ kind: 'rejected', cause: { message: 'loading took too long' } });
    // Without a request or a file change, the good file is applied.
    await state(() => expect(results.at(-1)).toMatchObject({ kind: 'applied', changes: ['~configs.a'] }));
    expect(limits).toEqual([10_000, 60_000, 20_000, 120_000, 40_000, 240_000, 80_000]);
    expect(results.filter(({ kind }) => kind === 'rejected')).toHaveLength(1);
  });

  it('prepares the worker at the first file system event, before the change is known', async () => {
    save(config('one'));
    const calls: string[] = [];
    const inner = createLoader(new URL('../../gateway/loading/config-worker.ts', import.meta.url));
    await create({
      loader: {
        close: () => inner.close(),
        prepare: () => {
          calls.push('prepare');
          inner.prepare();
        },
        load: (request) => {
          calls.push('load');
          return inner.load(request);
        },
      },
    }).start();
    // The check that follows every start.
    await state(() => expect(calls).toEqual(['load', 'load']));
    calls.length = 0;
    save(config('two'));
    await state(() => expect(calls).toContain('load'));
    expect(calls[0]).toBe('prepare');
  });

  it('does not apply a file that changed while it was read', async () => {
    save(config('one'));
    let writing = false;
    const inner = createLoader(new URL('../../gateway/loading/config-worker.ts', import.meta.url));
    await create({
      watch: false,
      loader: {
        close: () => inner.close(),
        prepare: () => inner.prepare(),
        // The file changes in the middle of the load: the text read is valid, but incomplete.
        load: async (request) => {
          if (writing) writeFileSync(join(folder, 'gateway.yaml'), 'version: 1\n');
          const loaded = await inner.load(request);
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
    save('version: 2\n');
    const result = await create().start();
    expect(result).toMatchObject({ kind: 'rejected', revision: undefined });
    expect(result.kind === 'rejected' && result.diagnostics.length).toBeGreaterThan(0);
    expect(results).toEqual([]);
  });

  it('reports nothing after close()', async () => {
    save(config('one'));
    await create().start();
    const late = reloader?.reloadNow();
    await reloader?.close();
    expect(await late).toMatchObject({ kind: 'rejected' });
    expect(results).toEqual([]);
  });
});
