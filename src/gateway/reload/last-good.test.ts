import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PostedRequest } from '../../config/reload/loader.ts';
import type { RejectedReload } from '../../config/reload/reloader.ts';
import type { ValidConfig } from '../../config/reload/load.ts';
import { readLastGood, saveLastGood } from '../../store/last-good.ts';
import type { GatewayOptions } from '../types.ts';
import { LastGoodCopy } from './last-good.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'last-good-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('stores the last applied configuration, also if it equals the copy loaded at the start', async () => {
  const entry = join(dir, 'gateway.yaml');
  const loaded = (text: string): ValidConfig => ({ revision: text.slice(0, 1), texts: { [entry]: text } }) as unknown as ValidConfig;
  const storedText = (): string | undefined => readLastGood(dir, entry)?.copy.files[entry];
  await saveLastGood(dir, { entry, files: { [entry]: 'a' }, revision: 'a' });
  const options = { source: { path: 'gateway.yaml' }, cwd: dir, stateDir: dir, lastGood: true } as unknown as GatewayOptions;
  const copy = new LastGoodCopy(options);
  expect(copy.replacementFor({} as PostedRequest, { diagnostics: [] } as unknown as RejectedReload)).toMatchObject({
    saved: { [entry]: 'a' },
  });
  const savedAt = readLastGood(dir, entry)?.savedAt;
  await copy.keep(loaded('a'), dir);
  expect(readLastGood(dir, entry)?.savedAt).toBe(savedAt);
  for (const text of ['b', 'a', 'a in another order']) {
    await copy.keep(loaded(text), dir);
    expect(storedText()).toBe(text);
  }
});
