import { expect, it } from 'vitest';
import { acceptsGzip } from './accepts-gzip.ts';

it.each([
  ['gzip, deflate, br', true],
  ['br;q=1.0, GZIP;q=0.5', true],
  ['gzip;q=0, identity', false],
  ['br, gzip ; q=0.000', false],
  ['x-gzip-like', false],
  ['identity', false],
  [undefined, false],
])('accept-encoding: %s accepts gzip: %s', (header, isAccepted) => {
  expect(acceptsGzip({ headers: { 'accept-encoding': header } })).toBe(isAccepted);
});
