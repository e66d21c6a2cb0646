import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { Editor, entryText, supportText, volumeFiles } from './editor.ts';
import { Volume } from './edits.ts';
import { lifePlugin, lives } from './life.ts';
import { echoModel, Load } from './load.ts';

const rounds = 20;

it('serves all requests during 200 edits, 40 of them invalid', async () => {
  const upstream = await startUpstream(echoModel);
  const entry = entryText(upstream.url);
  let volume: Volume | undefined;
  const gateway = await startTestGateway(entry, {
    watch: true,
    files: { 'configs/support.yaml': supportText(0), 'life.ts': lifePlugin },
    prepare: async (dir) => {
      volume = new Volume(join(dir, 'volume'));
      await volume.create(volumeFiles(0));
    },
  });
  const first = gateway.gateway.snapshot().revision;
  const load = new Load(gateway.url, 4);
  const editor = new Editor(gateway, volume as unknown as Volume, entry);
  try {
    for (let round = 0; round < rounds; round += 1) await editor.round(round);
  } finally {
    await load.stop();
  }

  expect([editor.edits, editor.brokenCount]).toEqual([200, 40]);
  expect(load.failures).toEqual([]);
  for (const isStream of [true, false]) expect(load.served.filter((one) => one.isStream === isStream).length).toBeGreaterThan(100);

  // Every request was served completely by one valid configuration.
  const validRevisions = new Set([first, ...gateway.events.flatMap((event) => (event.type === 'reloaded' ? [event.revision] : []))]);
  const modelOf = new Map<string, string>();
  for (const { id, model } of load.served) {
    const record = await gateway.record(id);
    expect(record).toMatchObject({ status: 200, end: 'whole', error: null, config: 'support', attempts: [{ outcome: 'answered' }] });
    expect(validRevisions).toContain(record.revision);
    expect(`m-${record.metadata['edit']}`).toBe(model);
    expect(modelOf.get(record.revision) ?? model).toBe(model);
    modelOf.set(record.revision, model);
  }
  // Edits close together may be one reload, but most of them served a request.
  expect(modelOf.size).toBeGreaterThan(rounds);

  // Replaced configurations were disposed once; the current one was not.
  expect(lives().length).toBeGreaterThan(rounds);
  expect(lives().filter(({ disposed }) => disposed !== 1)).toEqual([{ disposed: 0 }]);
  await gateway.close();
  expect(lives().filter(({ disposed }) => disposed !== 1)).toEqual([]);
  await upstream.close();
});
