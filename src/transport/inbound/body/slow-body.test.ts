import { describe, expect, test } from 'vitest';
import { slowBodyFault, type BodyProgress } from './slow-body.ts';

const rows: readonly (readonly [string, Partial<BodyProgress>, RegExp | undefined])[] = [
  ['accepts a body that has just started', {}, undefined],
  ['rejects a body after a minute without data', { silentMs: 60_001, bytes: 1e9 }, /no data for/],
  ['accepts one byte per second within the first minute', { waitedMs: 59_000, bytes: 59 }, undefined],
  ['rejects one byte per second after the first minute', { waitedMs: 61_000, bytes: 61 }, /too slowly: 61 bytes/],
  ['accepts a slow connection after an hour', { waitedMs: 3_600_000, bytes: 3600 * 1024 }, undefined],
  ['rejects a buffered body that exceeds its time limit', { waitedMs: 600_001, bytes: 1e9, limitMs: 600_000 }, /within/],
];

describe('slowBodyFault()', () => {
  test.each(rows)('%s', (_name, progress, message) => {
    const error = slowBodyFault({ silentMs: 0, waitedMs: 0, bytes: 0, limitMs: Number.POSITIVE_INFINITY, ...progress });
    if (message === undefined) expect(error).toBeUndefined();
    else expect(error).toMatchObject({ code: 'timeout', status: 408, message: expect.stringMatching(message) as string });
  });
});
