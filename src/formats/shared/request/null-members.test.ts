import { expect, it } from 'vitest';
import { JsonBody } from '../../../core/json/body.ts';
import { toMessages } from '../../anthropic-messages/request/index.ts';
import { toConverse } from '../../bedrock-converse/request/index.ts';
import { toGenerateContent } from '../../google-generate/request/index.ts';
import { dropExtensions } from '../../openai-chat/extensions.ts';

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: null } };
const body = {
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } }, cache_control: null }],
  messages: [
    { role: 'system', content: [{ type: 'text', text: 's', cache_control: null }] },
    { role: 'user', name: null, content: [{ type: 'text', text: 'x', cache_control: null }, image] },
  ],
};
const media = new Map();
const call = { model: 'm', media, foundationModel: undefined, stream: false, strict: true, showsReasoning: false };
const options = { surface: 'developer', schemas: 'converted', signatureStandIn: false } as const;

it.each([
  ['Anthropic', () => toMessages(body, call, { media })],
  ['Bedrock', () => toConverse(body, call, { media })],
  ['Gemini', () => toGenerateContent(body, call, options)],
  ['services of the chat format', () => dropExtensions(JsonBody.of(body))],
])('members of a message that are null are not reported as lost: %s', (_name, convert) => {
  expect(convert().dropped).toEqual([]);
});
