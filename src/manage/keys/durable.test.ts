import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { editKey, writeNew } from './files.ts';
import { replaceFile } from './replace-file.ts';

const steps = vi.hoisted(() => [] as string[]);

vi.mock('node:fs', async (importActual) => {
  const fs = await importActual<typeof import('node:fs')>();
  const recordStep = <A extends unknown[]>(step: string, run: (...args: A) => void) => {
    return (...args: A): void => {
      steps.push(step);
      run(...args);
    };
  };
  return {
    ...fs,
    fsyncSync: recordStep('on disk', fs.fsyncSync),
    renameSync: recordStep('named', fs.renameSync),
    linkSync: recordStep('named', fs.linkSync),
  };
});

const dir = mkdtempSync(join(tmpdir(), 'durable-'));
afterAll(() => rmSync(dir, { recursive: true }));
beforeEach(() => void steps.splice(0));

const config = join(dir, 'gateway.yaml');
writeFileSync(config, 'version: 1\n');
const file = join(dir, 'app.yaml');

it.each<[string, () => void]>([
  ['a new key', () => writeNew(file, 'api_keys: {app: {hash: a}}\n', config, dir)],
  ['a changed key', () => editKey({ name: 'app', entry: {}, file }, { revoked: '2027-01-01' }, dir)],
  ['a new file', () => replaceFile(join(dir, 'new.yaml'), 'version: 1\n', 'new.yaml')],
])('%s is synced before the rename, and its folder after it, so that a power failure leaves no empty or old file', (_, write) => {
  write();
  expect(steps).toEqual(['on disk', 'named', 'on disk']);
});
