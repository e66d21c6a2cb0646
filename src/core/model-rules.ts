import { GatewayError } from './error.ts';
import { bareModel } from './model-name.ts';
import type { ApiKey, ProviderBinding } from './snapshot.ts';

/** Whose lists a model must be on: the caller's key and the provider. */
export interface ModelRules {
  readonly key: ApiKey | undefined;
  readonly binding: ProviderBinding;
}

/** True where not every model may be used. A list that accepts the empty name accepts all. */
export function isLimited({ key, binding }: ModelRules): boolean {
  return key?.allowsModel('') === false || !binding.allowsModel('');
}

/**
 * Why this model may not be used; undefined where it may. A slug before it does not count, and no name is no model.
 *
 * @param seen where it was found, as the end of the sentence: `, which line 3 of the file names`
 */
export function forbidden({ key, binding }: ModelRules, named: string, seen = ''): GatewayError | undefined {
  const model = bareModel(named);
  if (model === '') return undefined;
  if (key?.allowsModel('') === false && !(isPlain(model) && key.allowsModel(model))) return forbiddenByKey(key.name, model, seen);
  if (binding.allowsModel('') || (isPlain(model) && binding.allowsModel(model))) return undefined;
  return forbiddenByEntry(binding.slug, model, seen);
}

/**
 * Why a request is refused whose model is not visible, or that says something which services read differently.
 *
 * @param what the rest of a sentence that begins with `the request`
 */
export function unseen({ key, binding }: ModelRules, what: string, hint?: string): GatewayError {
  const limited = key?.allowsModel('') === false ? `Key "${key.name}"` : `Provider "${binding.slug}"`;
  return notAllowed(`${limited} is limited to certain models, and the request ${what}.`, hint ?? ruleOf({ key, binding }));
}

/** Which rule it is, for hints. */
export const ruleOf = ({ key, binding }: ModelRules): string =>
  key?.allowsModel('') === false
    ? 'The rule is allow.models of the key.'
    : `The rule is ${binding.virtualKey === undefined ? `providers.${binding.slug}` : `virtual_keys.${binding.virtualKey}`}.models.`;

/** Refuses models that a provider found itself. @throws GatewayError `not_allowed` */
export function checkModels(rules: ModelRules, models: readonly string[] | undefined): void {
  if (models === undefined) return;
  for (const model of models) {
    const refusal = forbidden(rules, model);
    if (refusal !== undefined) throw refusal;
  }
}

const forbiddenByKey = (key: string, model: string, seen = ''): GatewayError =>
  notAllowed(`Key "${key}" may not use model "${shown(model)}"${seen}.`, 'The rule is allow.models of the key.');

const forbiddenByEntry = (slug: string, model: string, seen = ''): GatewayError =>
  notAllowed(`Provider "${slug}" may not be used with model "${shown(model)}"${seen}.`, `The rule is providers.${slug}.models.`);

const notAllowed = (message: string, hint: string): GatewayError => new GatewayError('not_allowed', { message, hint, param: 'model' });

/** Services cut a name at what they do not print: such a name is on no list, whatever its patterns say. */
const isPlain = (model: string): boolean => !/\p{C}|^\s|\s$/u.test(model);

const shown = (model: string): string => (model.length > 200 ? `${model.slice(0, 200)}…` : model);
