import { expect, it } from 'vitest';
import { providers, stages } from '../../../plugins/index.ts';
import { loadConfig, type ValidConfig } from '../../config/reload/load.ts';
import type { Plugin } from '../../core/plugin.ts';
import { ExplainService } from './service.ts';

const source = (name: string) => ({ text: `version: 1\nproviders: {${name}: {type: mock, models: [echo]}}\n`, name: `${name}.yaml` });

async function load(name: string): Promise<ValidConfig> {
  const importPlugin = (): Promise<never> => Promise.reject(new Error('no plugin is imported'));
  const loaded = await loadConfig({ source: source(name), cwd: '/', env: {}, providers, plugins: stages, importPlugin });
  if (loaded.tree === undefined) throw new Error('the configuration is not valid');
  return { ...loaded, tree: loaded.tree };
}

it('keeps the plugin setup of a newer configuration if the setup of an older one fails', async () => {
  const setUps: PromiseWithResolvers<void>[] = [];
  const slowPlugin: Plugin = {
    name: 'slow',
    options: { type: 'object' },
    async setup() {
      const setUp = Promise.withResolvers<void>();
      setUps.push(setUp);
      if (setUps.length > 2) setUp.resolve();
      await setUp.promise;
      return {};
    },
  };
  let loaded = await load('one');
  const service = new ExplainService({
    options: { registry: { providers, stages: [...stages, slowPlugin] } },
    clock: { now: Date.now, monotonic: () => performance.now() },
    loaded: () => loaded,
    written: async () => ({ values: [], locations: {}, references: {} }),
    logs: () => undefined,
    url: () => '',
    mask: (text) => text,
  });
  const explain = (model: string) => service.explain({ body: { model, messages: [{ role: 'user', content: 'hello' }] } });
  const first = explain('@one/echo');
  await expect.poll(() => setUps.length).toBe(1);
  loaded = await load('two');
  const second = explain('@two/echo');
  await expect.poll(() => setUps.length).toBe(2);
  setUps[0]?.reject(new Error('too late'));
  await expect(first).rejects.toThrow('too late');
  setUps[1]?.resolve();
  expect(await second).toMatchObject({ targets: [{ provider: 'two' }] });
  expect(await explain('@two/echo')).toMatchObject({ targets: [{ provider: 'two' }] });
  expect(setUps).toHaveLength(2);
});
