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

it.each([
  ['an unknown response', { message: "Previous response with id 'resp_1' not found.", code: 'previous_response_not_found' }, true],
  ['reasoning of another account', { message: 'The encrypted content could not be verified.', code: 'invalid_encrypted_content' }, true],
  ['an unknown conversation', { message: "Conversation with id 'conv_1' not found." }, true],
  ['an unknown item', { message: "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false." }, true],
  ['an unknown model', { message: 'The model `m` does not exist.', code: 'model_not_found' }, undefined],
  ['a name in quotes', { message: "No Item with id 'x' not found" }, undefined],
])('openaiFault says whether another account may have %s', (_name, error, expected) => {
  expect(openaiFault(400, JSON.stringify({ error })).isOfOtherAccount).toBe(expected);
});
