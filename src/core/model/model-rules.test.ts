import { describe, expect, it } from 'vitest';
import { makeBinding, makeKey } from '../../../test/support/stage-context.ts';
import { checkModels, forbidden, isLimited, type ModelRules, ruleOf, rulesFor, hiddenModelError } from './model-rules.ts';

const allowing =
  (...names: string[]) =>
  (model: string): boolean =>
    names.includes(model);
/** Matches every model, like a list with the pattern `*`. */
const startsWithG = (model: string): boolean => model.startsWith('g');

const open = makeBinding('p');
const listed = makeBinding('p', { allowsModel: allowing('m', 'both') });
const virtualBinding = makeBinding('p', { allowsModel: allowing('m'), virtualKey: 'team' });
const unlimitedKey = makeKey('k');
const limitedKey = makeKey('k', { allowsModel: allowing('k1', 'both') });
const enforcedKey = makeKey('k', { enforceConfig: true });
const override = { model: 'c1' };

const rules = {
  none: rulesFor(undefined, open, { override: undefined }),
  free: rulesFor(unlimitedKey, open, { override }),
  provider: rulesFor(undefined, listed, { override: undefined }),
  virtual: rulesFor(unlimitedKey, virtualBinding, { override: undefined }),
  key: rulesFor(limitedKey, open, { override: undefined }),
  both: rulesFor(limitedKey, listed, { override: undefined }),
  config: rulesFor(enforcedKey, listed, { override }),
  'config without a model': rulesFor(enforcedKey, open, { override: {} }),
  patterns: rulesFor(makeKey('k', { allowsModel: startsWithG }), makeBinding('p', { allowsModel: startsWithG }), { override: undefined }),
} satisfies Record<string, ModelRules>;
type RuleName = keyof typeof rules;

describe('model rules', () => {
  it.each<[RuleName, boolean, string | undefined]>([
    ['none', false, undefined],
    ['free', false, undefined],
    ['config without a model', false, undefined],
    ['provider', true, 'The rule is providers.p.models.'],
    ['virtual', true, 'The rule is virtual_keys.team.models or providers.p.models.'],
    ['key', true, 'The rule is allow.models of the key.'],
    ['both', true, 'The rule is allow.models of the key.'],
    ['config', true, 'The rule is enforce_config of the key.'],
  ])('of %s limit the models: %s', (name, limited, decidingRule) => {
    expect(isLimited(rules[name])).toBe(limited);
    if (decidingRule !== undefined) expect(ruleOf(rules[name])).toBe(decidingRule);
  });

  it.each<[RuleName, string, string | undefined]>([
    ['none', 'anything', undefined],
    ['free', 'anything', undefined],
    ['provider', 'm', undefined],
    ['provider', '@p/m', undefined],
    ['provider', '', undefined],
    ['provider', '@p', undefined],
    ['provider', 'x', 'Provider "p" may not be used with model "x", seen here.'],
    ['virtual', 'x', 'Virtual key "team" may not be used with model "x", seen here.'],
    ['key', 'k1', undefined],
    ['key', 'x', 'Key "k" may not use model "x", seen here.'],
    ['both', 'both', undefined],
    ['both', 'k1', 'Provider "p" may not be used with model "k1", seen here.'],
    ['both', 'm', 'Key "k" may not use model "m", seen here.'],
    ['config', '@q/c1', 'Provider "p" may not be used with model "c1", seen here.'],
    ['config', 'm', 'Key "k" is bound to model "c1", but the request names "m", seen here.'],
    // Patterns accept these names, but services would truncate them to other names.
    ['patterns', 'g1', undefined],
    ['patterns', 'g1 ', 'Key "k" may not use model "g1 ", seen here.'],
    ['patterns', 'g\u0000', 'Key "k" may not use model "g\u0000", seen here.'],
    ['patterns', 'g'.repeat(200), undefined],
    ['key', 'x'.repeat(200), `Key "k" may not use model "${'x'.repeat(200)}", seen here.`],
    ['key', 'x'.repeat(201), `Key "k" may not use model "${'x'.repeat(200)}…", seen here.`],
  ])('of %s check the model %j: %s', (name, model, message) => {
    expect(forbidden(rules[name], model, ', seen here')?.message).toBe(message);
    if (message === undefined) checkModels(rules[name], ['', model]);
    else expect(() => checkModels(rules[name], ['', model])).toThrow(message.replace(', seen here', ''));
  });

  it('allow everything if the provider found no models', () => {
    expect(() => checkModels(rules.key, undefined)).not.toThrow();
  });

  it.each<[RuleName, string]>([
    ['provider', 'Provider "p"'],
    ['virtual', 'Virtual key "team"'],
    ['key', 'Key "k"'],
    ['both', 'Key "k"'],
    ['config', 'Key "k"'],
  ])('of %s reject a request whose model is unknown, in the name of %s', (name, who) => {
    const error = hiddenModelError(rules[name], 'has a body');
    expect(error).toMatchObject({ code: 'not_allowed', param: 'model', hint: ruleOf(rules[name]) });
    expect(error.message).toBe(`${who} is limited to certain models, but the request has a body.`);
    expect(hiddenModelError(rules[name], 'has a body', 'Name it.').hint).toBe('Name it.');
  });
});
