import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run, runOnFullDisk } from '../cli/process.ts';

const dir = mkdtempSync(join(tmpdir(), 'keys-'));
const created = join(dir, 'configs/keys/app.yaml');
beforeAll(async () => {
  writeFileSync(join(dir, 'gateway.yaml'), 'version: 1\ninclude: [configs/keys/*.yaml]\nproviders: {m: {type: mock}}\n');
  await run(['keys', 'create', 'old', '--write'], dir);
});
afterAll(() => rmSync(dir, { recursive: true }));

const lost = 'error: nobody could read the new key, so nothing was changed\n';

it.each([[[]], [['--json']]])('keys create --write %j writes no key whose secret could not be printed', async (flags) => {
  const { code, err } = await runOnFullDisk(['keys', 'create', 'app', '--write', ...flags], dir);
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining(lost) as string });
  expect(existsSync(created)).toBe(false);
});

it('keys rotate keeps the old secret alone if the new one could not be printed', async () => {
  const file = join(dir, 'configs/keys/old.yaml');
  const before = readFileSync(file, 'utf8');
  const { code, err } = await runOnFullDisk(['keys', 'rotate', 'old'], dir);
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining(lost) as string });
  expect(readFileSync(file, 'utf8')).toBe(before);
});
