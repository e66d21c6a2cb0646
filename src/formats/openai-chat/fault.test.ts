import { expect, it } from 'vitest';
import { openaiFault } from './fault.ts';

it.each([
  [
    'the usual envelope',
    '{"error":{"message":"no","type":"invalid_request_error","param":"model","code":"model_not_found"}}',
    { message: 'no', type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
  ],
  [
    'additional members',
    '{"error":{"message":"no","innererror":{"code":"X"}}}',
    { message: 'no', type: null, param: null, code: null, extra: { innererror: { code: 'X' } } },
  ],
  ['a flat body', '{"statusCode":401,"message":"Unauthorized."}', { message: 'Unauthorized.', type: null, param: null, code: null }],
  ['a string as error', '{"error":"not here"}', { message: 'not here', type: null, param: null, code: null }],
  [
    'a list of details',
    '{"detail":[{"loc":["body"],"msg":"field required"}]}',
    { message: 'field required', type: null, param: null, code: null },
  ],
  ['an HTML page', '<html><body><h1>502</h1>  Bad\ngateway</body></html>', { message: '502 Bad gateway' }],
  ['nothing', '', { message: 'The provider sent no error message.' }],
  ['a list', '[1]', { message: '[1]' }],
])('openaiFault reads %s', (_name, body, fault) => {
  expect(openaiFault(400, body)).toEqual(fault);
});
