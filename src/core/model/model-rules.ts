import { GatewayError } from '../error.ts';
import { bareModel } from './model-name.ts';
import type { ApiKey, Leaf, ProviderBinding } from '../snapshot.ts';

/** The lists that must permit a model: those of the caller's key and of the provider. */
export interface ModelRules {
  readonly key: ApiKey | undefined;
  readonly binding: ProviderBinding;
  /** The only permitted model, for a key that is bound to a config with a model. */
  readonly pinned: string | undefined;
}

/** Returns the rules for requests of this key to this target. */
export const rulesFor = (key: ApiKey | undefined, binding: ProviderBinding, { override }: Pick<Leaf, 'override'>): ModelRules => ({
  key,
  binding,
  pinned: key?.enforceConfig === true ? overriddenModel(override) : undefined,
});

/** Returns the model set in `override_params` of a target, without slug; undefined if there is none. */
export function overriddenModel(override: Leaf['override']): string | undefined {
  const model = override?.['model'];
  return typeof model === 'string' && model !== '' ? model : undefined;
}

/** True if some models are not permitted. A list that accepts the empty name accepts all models. */
export function isLimited({ key, binding, pinned }: ModelRules): boolean {
  return pinned !== undefined || key?.allowsModel('') === false || !binding.allowsModel('');
}

/**
 * Returns the error for a model that is not permitted; otherwise undefined. A slug in front of it is ignored, and an
 * empty name is permitted.
 *
 * @param seen where it was found, as the end of the sentence: `, which line 3 of the file names`
 */
export const forbidden = (rules: ModelRules, named: string, seen = ''): GatewayError | undefined =>
  forbiddenModel(rules, bareModel(named), seen);

/** The same for a model as it is sent upstream, where a slug-like prefix is part of the name. */
export function forbiddenModel({ key, binding, pinned }: ModelRules, model: string, seen = ''): GatewayError | undefined {
  if (model === '') return undefined;
  if (pinned !== undefined && model !== pinned) return forbiddenByConfig(key?.name ?? '', model, pinned, seen);
  if (key?.allowsModel('') === false && !(isPrintable(model) && key.allowsModel(model))) return forbiddenByKey(key.name, model, seen);
  if (binding.allowsModel('') || (isPrintable(model) && binding.allowsModel(model))) return undefined;
  return forbiddenByEntry(binding, model, seen);
}

/**
 * Returns the error for a request whose model is not visible, or that services read differently.
 *
 * @param what the rest of a sentence that begins with `the request`
 */
export function hiddenModelError({ key, binding, pinned }: ModelRules, what: string, hint?: string): GatewayError {
  const limited = key !== undefined && (pinned !== undefined || !key.allowsModel('')) ? `Key "${key.name}"` : entryOf(binding);
  return notAllowed(`${limited} is limited to certain models, but the request ${what}.`, hint ?? ruleOf({ key, binding, pinned }));
}

/** Names the rule that applies, for hints. */
export function ruleOf({ key, binding, pinned }: ModelRules): string {
  if (pinned !== undefined) return 'The rule is enforce_config of the key.';
  if (key?.allowsModel('') === false) return 'The rule is allow.models of the key.';
  return listsOf(binding);
}

/** The lists that must permit a model: with a virtual key, both its own and the provider's. */
const listsOf = ({ slug, virtualKey }: ProviderBinding): string =>
  `The rule is ${virtualKey === undefined ? '' : `virtual_keys.${virtualKey}.models or `}providers.${slug}.models.`;

const entryOf = ({ slug, virtualKey }: ProviderBinding): string =>
  virtualKey === undefined ? `Provider "${slug}"` : `Virtual key "${virtualKey}"`;

/** Rejects models that a provider itself has found. @throws GatewayError `not_allowed` */
export function checkModels(rules: ModelRules, models: readonly string[] | undefined): void {
  if (models === undefined) return;
  for (const model of models) {
    const refusal = forbidden(rules, model);
    if (refusal !== undefined) throw refusal;
  }
}

const forbiddenByConfig = (key: string, model: string, pinned: string, seen: string): GatewayError =>
  notAllowed(
    `Key "${key}" is bound to model "${pinned}", but the request names "${truncated(model)}"${seen}.`,
    'The rule is enforce_config of the key, with the model of its config.',
  );

const forbiddenByKey = (key: string, model: string, seen: string): GatewayError =>
  notAllowed(`Key "${key}" may not use model "${truncated(model)}"${seen}.`, 'The rule is allow.models of the key.');

const forbiddenByEntry = (binding: ProviderBinding, model: string, seen: string): GatewayError =>
  notAllowed(`${entryOf(binding)} may not be used with model "${truncated(model)}"${seen}.`, listsOf(binding));

const notAllowed = (message: string, hint: string): GatewayError => new GatewayError('not_allowed', { message, hint, param: 'model' });

/** False for names with unprintable characters: services truncate a name there, so no list may permit it, whatever its patterns. */
const isPrintable = (model: string): boolean => !/\p{C}|^\s|\s$/u.test(model);

const truncated = (model: string): string => (model.length > 200 ? `${model.slice(0, 200)}…` : model);
