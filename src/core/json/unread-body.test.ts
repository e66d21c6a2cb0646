import { expect, it } from 'vitest';
import { makeContext } from '../../../test/support/stage-context.ts';
import type { Endpoint } from '../endpoint.ts';
import { hasUnreadBody } from './unread-body.ts';

it.each<[endpoint: Endpoint, method: string, headers: Record<string, string>, expected: boolean]>([
  ['relay', 'GET', {}, false],
  ['relay', 'GET', { 'content-length': '0' }, false],
  ['relay', 'GET', { 'content-length': '7' }, true],
  ['relay', 'GET', { 'transfer-encoding': 'chunked' }, true],
  ['relay', 'DELETE', {}, false],
  ['relay', 'POST', {}, true],
  ['relay', 'PUT', {}, true],
  ['relay', 'PATCH', {}, true],
  ['realtime', 'GET', { 'content-length': '7' }, false],
  ['chat/completions', 'POST', { 'content-length': '7' }, false],
])('hasUnreadBody for %s by %s with %j returns %s', (endpoint, method, headers, expected) => {
  expect(hasUnreadBody({ ...makeContext({ headers }), endpoint, method })).toBe(expected);
});
