import { describe, expect, it } from 'vitest';
import { compileFallbackCodes, compileRetry, compileStatusCodes, type StatusCodes } from './status-codes.ts';

const codeCases: readonly (readonly [codes: StatusCodes, yes: readonly number[], no: readonly number[]])[] = [
  [[429], [429], [428, 430, 200]],
  [['429'], [429], [428, 430]],
  [['5xx'], [500, 529, 599], [499, 600]],
  [['5XX'], [503], [404]],
  [['500-504'], [500, 502, 504], [499, 505]],
  [
    [246, '4xx'],
    [246, 400, 499],
    [200, 500],
  ],
  [['2xx'], [200, 204, 299], [300]],
  [[], [], [200, 429, 500]],
  [['504-500'], [500, 502, 504], [499, 505]],
  [['x', -1, 0, 1000, 'constructor'], [], [200, 500, 0]],
];

describe('status code lists', () => {
  it.each(codeCases)('match the statuses of %j', (codes, matching, notMatching) => {
    const hits = compileStatusCodes(codes);
    expect(matching.map(hits)).toEqual(matching.map(() => true));
    expect(notMatching.map(hits)).toEqual(notMatching.map(() => false));
    expect([hits(-1), hits(1e9), hits(Number.NaN)]).toEqual([false, false, false]);
  });

  it('compileFallbackCodes() matches every non-2xx status without a list', () => {
    const fallbackCodes = compileFallbackCodes(undefined);
    expect([199, 200, 246, 299, 300, 404, 500].map(fallbackCodes)).toEqual([true, false, false, false, true, true, true]);
  });

  const defaultRetry = compileRetry({});

  it('compileRetry() retries nothing by default and limits attempts to 5', () => {
    expect(compileRetry(undefined)).toMatchObject({ attempts: 0, useRetryAfter: false });
    expect(compileRetry({ attempts: 99, use_retry_after_headers: true })).toMatchObject({ attempts: 5, useRetryAfter: true });
    expect([429, 500, 502, 503, 504, 529].map((status) => defaultRetry.retries(status))).not.toContain(false);
    expect([400, 401, 408, 501].map((status) => defaultRetry.retries(status))).not.toContain(true);
  });
});
