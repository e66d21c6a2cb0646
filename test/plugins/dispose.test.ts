import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { adminUrl, call } from '../admin/client.ts';
import { startTestGateway } from '../support/gateway.ts';

const disposed: string[] = [];
const recordDisposal = (name: string): number => disposed.push(name);
beforeEach(() => void process.on('test:disposed' as never, recordDisposal as never));
afterEach(() => {
  disposed.length = 0;
  process.off('test:disposed', recordDisposal);
});

const plugin = (name: string, more = ''): string => `export default {
  name: '${name}',
  options: { type: 'object' },
  setup: () => ({
    dispose() {
      process.emit('test:disposed', '${name}');
      ${more}
    },
  }),
};`;
const files = {
  'one.ts': plugin('one'),
  'two.ts': plugin('two', "throw new Error('two does not end');"),
  'three.ts': plugin('three'),
  'four.ts': `export default { name: 'four', options: { type: 'object' }, setup() { throw new Error('four does not begin'); } };`,
};
const yaml = (...names: readonly string[]): string =>
  `version: 1\nproviders: {mock: {type: mock}}\nplugins: [routing, transform, ${names.map((name) => `{use: ./${name}.ts}`).join(', ')}]\n`;

it('disposes all plugins even if one of them fails', async () => {
  const gateway = await startTestGateway(yaml('one', 'two', 'three'), { files });
  await gateway.close();
  expect(disposed).toEqual(['three', 'two', 'one']);
  expect(gateway.lines.join('')).toMatch(/two does not end.*a plugin failed to shut down/);
});

it('disposes a plugin that was set up for a dry run together with the gateway', async () => {
  const gateway = await startTestGateway(yaml('one'), { admin: true, files });
  const token = readFileSync(join(gateway.dir, '.gateway/admin-token'), 'utf8').trim();
  const explained = await call(adminUrl(gateway), '/api/explain', { method: 'POST', token, body: { body: { model: '@mock/echo' } } });
  expect(explained.status).toBe(200);
  expect(disposed).toEqual([]);
  await gateway.close();
  expect(disposed).toEqual(['one', 'one']);
});

it('disposes the plugins set up before one that fails, and reports why the start failed', async () => {
  const start = startTestGateway(yaml('one', 'two', 'four'), { files });
  await expect(start).rejects.toThrow('plugin "four" could not be set up: four does not begin');
  expect(disposed).toEqual(['two', 'one']);
});
