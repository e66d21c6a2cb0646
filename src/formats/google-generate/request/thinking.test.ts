import { expect, it } from 'vitest';
import { toGenerateContent } from './index.ts';

const always = 'this model always thinks: sent as a budget of 128 tokens';

it.each([
  ['gemini-3.1-pro', 'high', { thinkingLevel: 'HIGH' }, undefined],
  ['gemini-3.1-pro', 'xhigh', { thinkingLevel: 'HIGH' }, 'sent as HIGH'],
  ['gemini-3.1-pro', 'max', { thinkingLevel: 'HIGH' }, 'sent as HIGH'],
  ['gemini-3.1-pro', 'none', { thinkingLevel: 'LOW' }, 'sent as LOW'],
  ['gemini-3-pro-preview', 'medium', { thinkingLevel: 'HIGH' }, 'sent as HIGH'],
  ['gemini-3-flash', 'medium', { thinkingLevel: 'MEDIUM' }, undefined],
  ['gemini-3-flash', 'none', { thinkingLevel: 'MINIMAL' }, 'sent as MINIMAL'],
  ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }, always],
  ['gemini-2.5-pro', 'minimal', { thinkingBudget: 128 }, undefined],
  ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }, undefined],
  ['gemini-2.5-flash', 'max', { thinkingBudget: 24_576 }, undefined],
])('%s receives the effort %s as %j, reported as %j', (model, effort, thinkingConfig, reason) => {
  const call = { model, media: new Map(), strict: false, showsReasoning: false };
  const options = { surface: 'developer', schemas: 'converted', signatureStandIn: true } as const;
  const { body, dropped } = toGenerateContent({ messages: [{ role: 'user', content: 'a' }], reasoning_effort: effort }, call, options);
  expect((body as { generationConfig?: unknown }).generationConfig).toEqual({ thinkingConfig });
  expect(dropped).toEqual(reason === undefined ? [] : [{ param: 'reasoning_effort', reason }]);
});
