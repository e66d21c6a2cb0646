import { describe, expect, test } from 'vitest';
import { lateness, type Progress } from './lateness.ts';

const rows: readonly (readonly [string, Partial<Progress>, RegExp | undefined])[] = [
  ['a body that has just begun', {}, undefined],
  ['a minute of silence', { silentMs: 60_001, bytes: 1e9 }, /no data for/],
  ['a byte a second within the first minute', { waitedMs: 59_000, bytes: 59 }, undefined],
  ['a byte a second after it', { waitedMs: 61_000, bytes: 61 }, /too slowly: 61 bytes/],
  ['a slow line after an hour', { waitedMs: 3_600_000, bytes: 3600 * 1024 }, undefined],
  ['a held body that takes longer than it may', { waitedMs: 600_001, bytes: 1e9, limitMs: 600_000 }, /within/],
];

describe('the lateness of a body', () => {
  test.each(rows)('%s', (_name, progress, says) => {
    const error = lateness({ silentMs: 0, waitedMs: 0, bytes: 0, limitMs: Number.POSITIVE_INFINITY, ...progress });
    if (says === undefined) expect(error).toBeUndefined();
    else expect(error).toMatchObject({ code: 'timeout', status: 408, message: expect.stringMatching(says) as string });
  });
});
