import { expect, it } from 'vitest';
import { toGenerateContent } from './index.ts';

it.each([
  [0, []],
  [0.5, ['presence_penalty']],
])('a presence_penalty of %d for a model without penalties is reported as dropped: %j', (penalty, expected) => {
  const call = { model: 'gemini-3-pro', media: new Map(), strict: false, showsReasoning: false };
  const options = { surface: 'developer', schemas: 'converted', signatureStandIn: true } as const;
  const { body, dropped } = toGenerateContent({ messages: [{ role: 'user', content: 'a' }], presence_penalty: penalty }, call, options);
  expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'a' }] }] });
  expect(dropped.map(({ param }) => param)).toEqual(expected);
});

it.each([
  [['a', ''], { stopSequences: ['a'] }, ['stop']],
  ['', undefined, ['stop']],
  [['a', 'b'], { stopSequences: ['a', 'b'] }, []],
])('of the stop sequences %j, %j is sent and %j reported as dropped', (stop, generationConfig, expected) => {
  const call = { model: 'gemini-2.5-flash', media: new Map(), strict: false, showsReasoning: false };
  const options = { surface: 'developer', schemas: 'converted', signatureStandIn: true } as const;
  const { body, dropped } = toGenerateContent({ messages: [{ role: 'user', content: 'a' }], stop }, call, options);
  expect((body as { generationConfig?: unknown }).generationConfig).toEqual(generationConfig);
  expect(dropped.map(({ param }) => param)).toEqual(expected);
});
