import { expect, it } from 'vitest';
import { isFailure } from './exported-record.ts';

it.each([
  [200, 'whole', false],
  [200, 'fault', true],
  [200, 'drained', true],
  [200, 'client_gone', false],
  [401, 'fault', false],
  [429, 'fault', false],
  [499, 'client_gone', false],
  [502, 'fault', true],
  [500, 'whole', true],
] as const)('isFailure() for status %i and end %s returns %s', (status, end, expected) => {
  expect(isFailure({ status, end })).toBe(expected);
});
