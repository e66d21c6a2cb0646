import { describe, expect, it } from 'vitest';
import { chat, prepare } from '../../test/support/prepare.ts';
import { makeBinding, makeKey, makeProvider, refusal } from '../../test/support/stage-context.ts';

const chatOperation = makeProvider().operations['chat/completions'];
const operations = chatOperation === undefined ? {} : { 'chat/completions': { ...chatOperation, ownForms: ['own_config'] } };
const binding = makeBinding('main', { provider: makeProvider({ operations }) });

/** With a key that is bound to a config with these overrides. */
const bodyOf = (override: Record<string, unknown>, body: Record<string, unknown>) => {
  const caller = { name: 'bound', key: makeKey('bound', { defaultConfig: 'c', enforceConfig: true }) };
  return prepare({ caller, binding, body: { ...chat, ...body }, leaf: { override } });
};

describe('a key with an enforced config', () => {
  const thinking = { thinking: { type: 'enabled', budget_tokens: 10, a: { b_c: 1 } } };

  it.each([
    ['at the top level', { temperature: 0 }, { Temperature: 1 }, 'Temperature'],
    ['in an object', thinking, { thinking: { budgetTokens: 9000 } }, 'thinking.budgetTokens'],
    ['by another name of the limit', { max_tokens: 5 }, { maxOutputTokens: 9 }, 'maxOutputTokens'],
    ["in the service's own form", { max_tokens: 5 }, { own_config: { maxOutputTokens: 9 } }, 'own_config'],
    ["in the service's own form, which the config sets too", { own_config: { topK: 1 }, n: 1 }, { own_config: { topP: 1 } }, 'own_config'],
    ['by another spelling of another place', { reasoning_effort: 'low' }, { reasoning: { Effort: 'high' } }, 'reasoning.Effort'],
    ['deep in an object', thinking, { thinking: { a: { 'b-c': 2 } } }, 'thinking.a.b-c'],
  ])('may not write what the config sets in another spelling: %s', async (_, override, body, param) => {
    expect(await refusal(() => bodyOf(override, body))).toMatchObject({ code: 'not_allowed', param });
  });

  it.each([
    ['the same spelling', thinking, { thinking: { budget_tokens: 9000, type: 'disabled', other: 1 } }],
    ['another place of the same parameter', { reasoning_effort: 'low' }, { thinking: { type: 'enabled', budget_tokens: 9000 } }],
    ["the service's own form beside labels", { labels: { a: 'b' } }, { own_config: { topK: 1 } }],
    ["members of the service's own form that the config sets", { own_config: { topK: 1 } }, { own_config: { topK: 2, topP: 1 } }],
    ['what is replaced as a whole', thinking, { thinking: [{ budgetTokens: 9000 }] }],
    ['names of its own', { labels: { team: 'a' }, metadata: { key: 'b' } }, { labels: { Team: 'x' }, metadata: { KEY: 'y' } }],
  ])('may write %s', async (_, override, body) => {
    expect(JSON.parse((await bodyOf(override, body)).body ?? '')).toMatchObject(override);
  });
});
