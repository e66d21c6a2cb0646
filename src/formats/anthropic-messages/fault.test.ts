import { expect, it } from 'vitest';
import { anthropicFault, faultInBand, statusOfType } from './fault.ts';

it.each([
  [
    '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}',
    { message: 'Overloaded', type: 'overloaded_error', code: null, param: null },
  ],
  [
    '{"type":"error","error":{"type":"x","message":"m","details":{"a":1}}}',
    { message: 'm', type: 'x', code: null, param: null, extra: { details: { a: 1 } } },
  ],
  [
    '{"error":{"code":403,"message":"denied","status":"PERMISSION_DENIED"}}',
    { message: 'denied', type: 'permission_error', code: 'PERMISSION_DENIED', param: null },
  ],
  [
    '[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[]}}]',
    { message: 'quota', type: 'rate_limit_error', code: 'RESOURCE_EXHAUSTED', param: null, extra: { details: [] } },
  ],
  ['{"type":"error","message":"flat"}', { message: 'flat', type: null }],
  ['<html><b>413</b> Request Entity Too Large</html>', { message: '413 Request Entity Too Large' }],
])('anthropicFault reads %s', (body, fault) => {
  expect(anthropicFault(400, body)).toMatchObject(fault);
});

it('statusOfType and faultInBand map an error type to its status', () => {
  const types = ['overloaded_error', 'rate_limit_error', 'api_error', 'constructor', undefined];
  expect(types.map(statusOfType)).toEqual([529, 429, 500, 502, 502]);
  const inBand = types.slice(0, 4).map((type) => faultInBand({ type: 'error', error: { type, message: 'm' } }, '').status);
  expect(inBand).toEqual([529, 429, 500, undefined]);
});
