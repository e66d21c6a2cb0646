import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import example from '../../configs/examples/own-plugin/require-metadata.ts';
import { providers, stages } from '../../plugins/index.ts';
import { loadConfig } from '../../src/config/reload/load.ts';
import type { Plugin } from '../../src/core/plugin.ts';
import { makeContext, makeKey, refusal, setUp } from '../support/stage-context.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'configs/examples/own-plugin');
const load = (source: { path: string } | { text: string; name: string }) =>
  loadConfig({ source, cwd: folder, env: {}, providers, plugins: stages, importPlugin: (path) => import(pathToFileURL(path).href) });

describe('the example plugin', () => {
  it('loads from its path without diagnostics', async () => {
    const { tree, diagnostics } = await load({ path: join(folder, 'gateway.yaml') });
    expect(diagnostics).toEqual([]);
    expect(tree?.plugins).toContainEqual(expect.objectContaining({ use: join(folder, 'require-metadata.ts') }));
  });

  it('has its options validated', async () => {
    const { diagnostics } = await load({
      text: 'version: 1\nplugins: [auth, {use: ./require-metadata.ts, options: {key: team}}, routing]\n',
      name: 'test.yaml',
    });
    expect(diagnostics.filter((entry) => entry.severity === 'error').length).toBeGreaterThan(0);
  });

  it('is quoted unchanged in the documentation', async () => {
    const page = await readFile(join(root, 'docs/plugins.md'), 'utf8');
    expect(page).toContain(await readFile(join(folder, 'require-metadata.ts'), 'utf8'));
  });

  it.each([
    ['its own metadata', { team: 'search' }, {}],
    ['the metadata of its key', {}, { team: 'web' }],
  ])('accepts a request with %s', async (_, metadata, ofKey) => {
    const plugin = await setUp(example as Plugin, { keys: ['team'] });
    expect(
      plugin.admit?.(makeContext({ overrides: { metadata }, caller: { key: makeKey('app-web', { metadata: ofKey }) } })),
    ).toBeUndefined();
  });

  it('rejects a request without the metadata', async () => {
    const plugin = await setUp(example as Plugin, { keys: ['team'] });
    const error = await refusal(() => plugin.admit?.(makeContext({ overrides: { metadata: { other: 'x' } } })));
    expect(error).toMatchObject({ code: 'invalid_metadata', status: 400, message: 'The request does not name its "team".' });
  });
});
