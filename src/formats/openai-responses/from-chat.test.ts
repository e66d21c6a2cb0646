import { expect, it } from 'vitest';
import { responsesOf } from './from-chat.ts';

it('counts strict tools as ordinary ones: whether the schema can be enforced does not matter for a count', () => {
  const parameters = { type: 'object', properties: { a: { type: 'string' } } };
  const tools = [{ type: 'function', function: { name: 'f', parameters, strict: true } }];
  expect(responsesOf({ model: 'm', messages: [], tools })['tools']).toEqual([{ type: 'function', name: 'f', parameters, strict: false }]);
});
