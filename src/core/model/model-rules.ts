import { GatewayError } from '../error.ts';
import { bareModel } from './model-name.ts';
import type { ApiKey, Leaf, ProviderBinding } from '../snapshot.ts';

/** Whose lists a model must be on: the caller's key and the provider. */
export interface ModelRules {
  readonly key: ApiKey | undefined;
  readonly binding: ProviderBinding;
  /** The one model that a key may use which is bound to a config with a model. */
  readonly pinned: string | undefined;
}

/** The rules for requests of this key to this target. */
export const rulesFor = (key: ApiKey | undefined, binding: ProviderBinding, { override }: Pick<Leaf, 'override'>): ModelRules => ({
  key,
  binding,
  pinned: key?.enforceConfig === true ? overriddenModel(override) : undefined,
});

/** The model that `override_params` of a target sets, without a slug; undefined where it sets none. */
export function overriddenModel(override: Leaf['override']): string | undefined {
  const model = override?.['model'];
  return typeof model === 'string' && model !== '' ? model : undefined;
}

/** True where not every model may be used. A list that accepts the empty name accepts all. */
export function isLimited({ key, binding, pinned }: ModelRules): boolean {
  return pinned !== undefined || key?.allowsModel('') === false || !binding.allowsModel('');
}

/**
 * Why the model of this name may not be used; undefined where it may. A slug before it does not count, and no name is no
 * model.
 *
 * @param seen where it was found, as the end of the sentence: `, which line 3 of the file names`
 */
export const forbidden = (rules: ModelRules, named: string, seen = ''): GatewayError | undefined =>
  forbiddenModel(rules, bareModel(named), seen);

/** The same for a model as it is sent: whatever it begins with is part of its name there. */
export function forbiddenModel({ key, binding, pinned }: ModelRules, model: string, seen = ''): GatewayError | undefined {
  if (model === '') return undefined;
  if (pinned !== undefined && model !== pinned) return forbiddenByConfig(key?.name ?? '', model, pinned, seen);
  if (key?.allowsModel('') === false && !(isPlain(model) && key.allowsModel(model))) return forbiddenByKey(key.name, model, seen);
  if (binding.allowsModel('') || (isPlain(model) && binding.allowsModel(model))) return undefined;
  return forbiddenByEntry(binding, model, seen);
}

/**
 * Why a request is refused whose model is not visible, or that says something which services read differently.
 *
 * @param what the rest of a sentence that begins with `the request`
 */
export function unseen({ key, binding, pinned }: ModelRules, what: string, hint?: string): GatewayError {
  const limited = key !== undefined && (pinned !== undefined || !key.allowsModel('')) ? `Key "${key.name}"` : entryOf(binding);
  return notAllowed(`${limited} is limited to certain models, but the request ${what}.`, hint ?? ruleOf({ key, binding, pinned }));
}

/** Which rule it is, for hints. */
export function ruleOf({ key, binding, pinned }: ModelRules): string {
  if (pinned !== undefined) return 'The rule is enforce_config of the key.';
  if (key?.allowsModel('') === false) return 'The rule is allow.models of the key.';
  return listsOf(binding);
}

/** The lists that a model must be on: those of a virtual key and of its provider both hold. */
const listsOf = ({ slug, virtualKey }: ProviderBinding): string =>
  `The rule is ${virtualKey === undefined ? '' : `virtual_keys.${virtualKey}.models or `}providers.${slug}.models.`;

const entryOf = ({ slug, virtualKey }: ProviderBinding): string =>
  virtualKey === undefined ? `Provider "${slug}"` : `Virtual key "${virtualKey}"`;

/** Refuses models that a provider found itself. @throws GatewayError `not_allowed` */
export function checkModels(rules: ModelRules, models: readonly string[] | undefined): void {
  if (models === undefined) return;
  for (const model of models) {
    const refusal = forbidden(rules, model);
    if (refusal !== undefined) throw refusal;
  }
}

const forbiddenByConfig = (key: string, model: string, pinned: string, seen: string): GatewayError =>
  notAllowed(
    `Key "${key}" is bound to model "${pinned}", but the request names "${shown(model)}"${seen}.`,
    'The rule is enforce_config of the key, with the model of its config.',
  );

const forbiddenByKey = (key: string, model: string, seen = ''): GatewayError =>
  notAllowed(`Key "${key}" may not use model "${shown(model)}"${seen}.`, 'The rule is allow.models of the key.');

const forbiddenByEntry = (binding: ProviderBinding, model: string, seen = ''): GatewayError =>
  notAllowed(`${entryOf(binding)} may not be used with model "${shown(model)}"${seen}.`, listsOf(binding));

const notAllowed = (message: string, hint: string): GatewayError => new GatewayError('not_allowed', { message, hint, param: 'model' });

/** Services cut a name at what they do not print: such a name is on no list, whatever its patterns say. */
const isPlain = (model: string): boolean => !/\p{C}|^\s|\s$/u.test(model);

const shown = (model: string): string => (model.length > 200 ? `${model.slice(0, 200)}…` : model);
