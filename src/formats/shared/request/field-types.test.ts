import { expect, it } from 'vitest';
import { toMessages } from '../../anthropic-messages/request/index.ts';
import { checkChatTypes } from './field-types.ts';
import { toGenerateContent } from '../../google-generate/request/index.ts';

const call = { model: 'm', stream: false, strict: false, media: new Map<string, never>() };
const messages = [{ role: 'user', content: 'hi' }];

it.each([
  ['messages', 7, '"messages" is a number, not a list of objects.'],
  ['messages', { role: 'user' }, '"messages" is an object, not a list of objects.'],
  ['messages', [messages[0], null], '"messages[1]" is null, not an object.'],
  ['tools', 'x', '"tools" is a string, not a list of objects.'],
  ['tools', {}, '"tools" is an object, not a list of objects.'],
  ['tools', [[]], '"tools[0]" is a list, not an object.'],
  ['functions', true, '"functions" is a boolean, not a list of objects.'],
  ['tool_choice', 7, '"tool_choice" is a number, not a string or an object.'],
  ['response_format', 'json', '"response_format" is a string, not an object.'],
  ['stop', 7, '"stop" is a number, not a string or a list.'],
  ['modalities', 'text', '"modalities" is a string, not a list.'],
  ['stream_options', [], '"stream_options" is a list, not an object.'],
])('%s: %j is rejected with the name of the field by every conversion of chats', (field, value, message) => {
  const body = { messages, [field]: value };
  const expectedError = expect.objectContaining({ code: 'invalid_type', message, param: /"([^"]+)"/.exec(message)?.[1] }) as Error;
  expect(() => checkChatTypes(body)).toThrow(expectedError);
  expect(() => toMessages(body, call as never, { media: call.media } as never)).toThrow(expectedError);
  expect(() => toGenerateContent(body, call as never, {} as never)).toThrow(expectedError);
});

it('checkChatTypes accepts missing fields, null and valid types', () => {
  expect(() =>
    checkChatTypes({ messages, tools: null, stop: ['a'], tool_choice: 'auto', response_format: { type: 'text' } }),
  ).not.toThrow();
});
