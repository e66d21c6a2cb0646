import { expect, it } from 'vitest';
import { isErrorStatus, isFinalStatus } from './status.ts';

it.each<[status: unknown, isFinal: boolean, isError: boolean]>([
  [100, false, false],
  [199, false, false],
  [200, true, false],
  [399, true, false],
  [400, true, true],
  [599, true, true],
  [600, false, false],
  [999, false, false],
  [400.5, false, false],
  [Number.NaN, false, false],
  ['400', false, false],
  [undefined, false, false],
])('classifies the status %j as final: %s, as an error: %s', (status, isFinal, isError) => {
  expect(typeof status === 'number' && isFinalStatus(status)).toBe(isFinal);
  expect(isErrorStatus(status)).toBe(isError);
});
