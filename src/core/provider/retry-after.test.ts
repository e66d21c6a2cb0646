import { expect, it } from 'vitest';
import { noon } from '../../../test/support/stage-context.ts';
import { retryAfterMs } from './retry-after.ts';

it.each([
  ['seconds', { 'retry-after': '3' }, 3000],
  ['a fraction of seconds', { 'retry-after': '0.25' }, 250],
  ['no wait', { 'retry-after': '0' }, 0],
  ['milliseconds', { 'retry-after-ms': '120' }, 120],
  ['milliseconds of x-ms-retry-after-ms', { 'x-ms-retry-after-ms': '99.2' }, 100],
  ['milliseconds before seconds', { 'retry-after': '3', 'x-ms-retry-after-ms': '200', 'retry-after-ms': '100' }, 100],
  ['seconds, when the milliseconds cannot be read', { 'retry-after-ms': 'soon', 'retry-after': '2' }, 2000],
  ['a date', { 'retry-after': 'Sat, 21 Nov 2026 12:00:07 GMT' }, 7000],
  ['a date in the RFC 850 format', { 'retry-after': 'Saturday, 21-Nov-26 12:00:07 GMT' }, 7000],
  ['a date in the asctime format', { 'retry-after': 'Sat Nov 21 12:00:07 2026' }, 7000],
  ['a date that has passed', { 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 0],
  ['one day', { 'retry-after': '86400' }, 86_400_000],
  ['a number that is too large to count', { 'retry-after': '9'.repeat(400) }, undefined],
  ['milliseconds that are too large to count', { 'retry-after-ms': '9'.repeat(16) }, undefined],
  ['seconds, when the milliseconds are too large to count', { 'retry-after-ms': '9'.repeat(400), 'retry-after': '2' }, 2000],
  ['missing headers', {}, undefined],
  ['an empty value', { 'retry-after': '' }, undefined],
  ['a negative number', { 'retry-after': '-1' }, undefined],
  ['an exponent', { 'retry-after': '1e3' }, undefined],
  ['two values', { 'retry-after': '1, 2' }, undefined],
  ['words', { 'retry-after': 'later' }, undefined],
  ['a date that does not exist', { 'retry-after': 'Sat, 99 Nov 2026 12:00:07 GMT' }, undefined],
])('retryAfterMs reads %s', (_, headers, ms) => {
  expect(retryAfterMs(headers, noon)).toBe(ms);
});
