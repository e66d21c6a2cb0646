import { expect, it } from 'vitest';
import { toGenerateContent } from '#formats/google-generate/request/index.ts';
import gemini from '../gemini/index.ts';
import vertexAi from '../vertex-ai/index.ts';

/** Parameters in the form of the clients, as a config may set them. */
const set = { messages: [{ role: 'user', content: 'x' }], thinking: { type: 'disabled' }, audio: { voice: 'a' }, temperature: 0 };
const call = { model: 'gemini-3-flash', media: new Map(), strict: false, showsReasoning: false };
const options = { surface: 'developer', schemas: 'converted', signatureStandIn: true } as const;
const sent = (body: object): unknown => toGenerateContent({ ...set, ...body }, call, options).body['generationConfig'];

it.each<[string, object]>([
  ['generation_config', { temperature: 1 }],
  ['generationConfig', { temperature: 1 }],
  ['thinking_config', { thinkingBudget: 9 }],
  ['thinkingConfig', { thinkingBudget: 9 }],
  ['speech_config', { languageCode: 'de' }],
  ['speechConfig', { languageCode: 'de' }],
  ['extra_body', { google: { thinking_config: { thinkingBudget: 9 } } }],
])('%s replaces a parameter of a config and is therefore in ownForms', (name, value) => {
  expect(sent({ [name]: value })).not.toEqual(sent({}));
  for (const { operations } of [gemini, vertexAi]) expect(operations['chat/completions']?.ownForms).toContain(name);
});
