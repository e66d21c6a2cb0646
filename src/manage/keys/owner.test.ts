import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { writeWithOwnership } from './owner.ts';
import { replaceFile } from './replace-file.ts';

vi.mock('node:fs', async (importActual) => ({
  ...(await importActual<typeof import('node:fs')>()),
  fchownSync: () => {
    throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
  },
}));

const dir = mkdtempSync(join(tmpdir(), 'owner-'));
afterAll(() => rmSync(dir, { recursive: true }));

const ownGid = process.getgid?.() ?? 0;
const otherGid = ownGid + 1;

describe('writeWithOwnership if the owner or group cannot be set', () => {
  it.each([
    ['with a file of another user', 1, otherGid, 0o644, 0o644],
    ['with a file of another user', 1, otherGid, 0o664, 0o664],
    ['with a file of another user', 1, otherGid, 0o640, 'not permitted'],
    ['with a file of another user', 1, otherGid, 0o600, 'not permitted'],
    ['with a file of another group that cannot read it', 0, otherGid, 0o600, 0o600],
    ['with a file of another group', 0, otherGid, 0o640, 'not permitted'],
    ['with a file of the group root', 0, 0, 0o640, 0o640],
  ])('%s, uid +%i gid %i mode %o', (_, uidOffset, gid, mode, expected) => {
    const file = join(dir, `${uidOffset}-${gid}-${mode}`);
    const dirStats = statSync(dir);
    const targetStats: Stats = Object.assign(Object.create(dirStats) as Stats, { uid: dirStats.uid + uidOffset, gid, mode });
    const write = (): void => writeWithOwnership(file, 'text', targetStats, 0o666);
    if (typeof expected === 'string') expect(write).toThrow(expected);
    else write();
    expect(statSync(file).mode & 0o777).toBe(typeof expected === 'string' ? 0o600 : expected);
  });
});

it.each([['longer than before\n'], ['less\n']])('replaceFile changes an existing file and keeps its group: %j', (text) => {
  const file = join(dir, 'key.yaml');
  writeFileSync(file, 'what was there\n');
  chmodSync(file, 0o640);
  if (process.getuid?.() === 0) chownSync(file, 0, otherGid);
  const statsBefore = statSync(file);
  replaceFile(file, text, 'key.yaml');
  const { uid, gid, mode } = statSync(file);
  expect([readFileSync(file, 'utf8'), uid, gid, mode]).toEqual([text, statsBefore.uid, statsBefore.gid, statsBefore.mode]);
  expect(readdirSync(dir).filter((name) => name.endsWith('.draft'))).toEqual([]);
});
