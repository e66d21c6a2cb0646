import { expect, it } from 'vitest';
import { chatMessages } from '../../anthropic-messages/to-hub/messages.ts';
import { toMessages } from '../../anthropic-messages/request/index.ts';
import { Drops } from './drops.ts';

const chat = (type: unknown) => ({ messages: [{ role: 'user', content: [{ type }] }], max_tokens: 9 });
const convertAsMessages = (type: unknown) => () =>
  toMessages(chat(type), { model: 'claude-sonnet-4-5', foundationModel: undefined, stream: false }, { media: new Map() });
const convertAsChat = (type: unknown) => () => chatMessages(chat(type).messages, new Drops());

it.each([
  ['parts', convertAsMessages, 'messages[0].content[0].type'],
  ['blocks', convertAsChat, 'messages[].content[].type'],
])('an unsupported type of %s is named in the error only if it is a string', (_name, convert, param) => {
  expect(convert('hologram')).toThrow(/of type "hologram" cannot be sent/);
  for (const type of [{}, [], 5]) {
    expect(convert(type)).toThrow(expect.objectContaining({ param, message: expect.stringMatching(/must have a "type"\.$/) as string }));
  }
});
