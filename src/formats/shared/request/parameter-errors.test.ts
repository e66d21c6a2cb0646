import { describe, expect, it } from 'vitest';
import { chatMessages } from '../../anthropic-messages/to-hub/messages.ts';
import { toConverse } from '../../bedrock-converse/request/index.ts';
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

const callOf = (isTranslated: boolean) => ({ model: 'claude-sonnet-4-5', foundationModel: undefined, stream: false, isTranslated });
const formats = {
  Anthropic: (messages: readonly object[], isTranslated = false) => toMessages({ messages }, callOf(isTranslated), { media: new Map() }),
  Bedrock: (messages: readonly object[], isTranslated = false) => toConverse({ messages }, callOf(isTranslated), { media: new Map() }),
};
const text = { type: 'text', text: 'Hi' };
const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'noise' } };
const [hello, system] = [
  { role: 'user', content: 'Hi' },
  { role: 'system', content: 'Be brief.' },
];
const called = { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] };

describe.each(Object.entries(formats))('an error of %s', (_name, convert) => {
  it.each([
    ['the part', [system, hello, { role: 'user', content: [text, sound] }], 'messages[2].content[1].input_audio'],
    [
      'the part of a tool message',
      [hello, called, { role: 'tool', tool_call_id: 'c', content: [sound] }],
      'messages[2].content[0].input_audio',
    ],
    [
      'the part after tool results',
      [hello, called, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }, sound] }],
      'messages[2].content[1].input_audio',
    ],
    [
      'the message of a tool result',
      [hello, called, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [text, sound] }] }],
      'messages[2].content[].input_audio',
    ],
    ['the message with an unknown role', [hello, { role: 'narrator', content: 'x' }], 'messages[1].role'],
  ])('names %s by its index', (_what, messages, param) => {
    expect(() => convert(messages)).toThrow(expect.objectContaining({ param }) as Error);
  });

  it('names no index if the request was translated, because its messages are not those of the client', () => {
    const param = 'messages[].content[].input_audio';
    expect(() => convert([system, { role: 'user', content: [sound] }], true)).toThrow(expect.objectContaining({ param }) as Error);
  });
});
