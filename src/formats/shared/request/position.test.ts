import { describe, expect, it } from 'vitest';
import { toMessages } from '../../anthropic-messages/request/index.ts';
import { toConverse } from '../../bedrock-converse/request/index.ts';
import { toGenerateContent } from '../../google-generate/request/index.ts';

const callOf = (isTranslated: boolean) => ({ model: 'm', foundationModel: undefined, stream: false, strict: false, media, isTranslated });
const media = new Map();
const gemini = { surface: 'developer', schemas: 'converted', signatureStandIn: true } as const;

type Convert = (messages: readonly object[], isTranslated?: boolean) => unknown;
const formats: Readonly<Record<string, Convert>> = {
  Anthropic: (messages, isTranslated = false) => toMessages({ messages }, callOf(isTranslated), { media }),
  Bedrock: (messages, isTranslated = false) => toConverse({ messages }, callOf(isTranslated), { media }),
  Gemini: (messages, isTranslated = false) => toGenerateContent({ messages }, callOf(isTranslated), gemini),
};

const text = { type: 'text', text: 'Hi' };
const image = { type: 'image_url', image_url: { url: 'ftp://h.example/a.png' } };
const system = { role: 'system', content: 'Be brief.' };
const hello = { role: 'user', content: 'Hi' };
const called = { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] };
const result = (content: unknown) => ({ type: 'tool_result', tool_use_id: 'c', content });
const user = (...content: unknown[]) => ({ role: 'user', content });

const rejects = (convert: () => unknown, path: string) =>
  expect(convert).toThrow(
    expect.objectContaining({ param: expect.stringMatching(new RegExp(`^${RegExp.escape(path)}(\\.url)?$`)) }) as Error,
  );

describe.each(Object.entries(formats))('an error of a request to %s', (_name, convert) => {
  it.each([
    ['the part', [system, hello, user(text, image)], 'messages[2].content[1].image_url'],
    ['the part after a text', [hello, user('Hi', image)], 'messages[1].content[1].image_url'],
    [
      'the part of a tool message',
      [hello, called, { role: 'tool', tool_call_id: 'c', content: [image] }],
      'messages[2].content[0].image_url',
    ],
    ['content of a wrong type', [user(text), { role: 'user', content: 5 }], 'messages[1].content'],
    ['a part of a wrong type', [hello, user(text, 5)], 'messages[1].content[1]'],
    ['the message with an unknown role', [user(text), { role: 'narrator', content: 'x' }], 'messages[1].role'],
  ])('names %s by its index', (_what, messages, path) => {
    rejects(() => convert(messages), path);
  });

  it('names no index if the request was translated, because its messages are not those of the client', () => {
    rejects(() => convert([system, user(image)], true), 'messages[].content[].image_url');
  });
});

describe.each(Object.entries(formats))('an error of tool results in a message to %s', (_name, convert) => {
  it.each([
    ['the part after them', [result('x'), image], 'messages[2].content[1].image_url'],
    ['the part after the parts of one', [result([text, text]), image], 'messages[2].content[1].image_url'],
    ['the part in one', [text, result([text, image])], 'messages[2].content[1].content[1].image_url'],
  ])('names %s by its index', (_what, content, path) => {
    rejects(() => convert([hello, called, user(...content)]), path);
  });
});
