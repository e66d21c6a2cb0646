import { chmodSync, mkdtempSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { shareLike } from './owner.ts';

vi.mock('node:fs', async (importActual) => ({
  ...(await importActual<typeof import('node:fs')>()),
  chownSync: () => {
    throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
  },
}));

const dir = mkdtempSync(join(tmpdir(), 'owner-'));
afterAll(() => rmSync(dir, { recursive: true }));

describe('a file of somebody else, whose owner and group cannot be given', () => {
  it.each([
    [0o644, 0o644],
    [0o664, 0o664],
    [0o640, 'not permitted'],
    [0o600, 'not permitted'],
  ])('of mode %o', (mode, expected) => {
    const file = join(dir, 'key.yaml');
    writeFileSync(file, '');
    chmodSync(file, 0o600);
    const own = statSync(file);
    const like: Stats = Object.assign(Object.create(own) as Stats, { uid: own.uid + 1, gid: own.gid + 1, mode });
    if (typeof expected === 'string') expect(() => shareLike(file, like, 0o666)).toThrow(expected);
    else shareLike(file, like, 0o666);
    expect(statSync(file).mode & 0o777).toBe(typeof expected === 'string' ? 0o600 : expected);
  });
});
