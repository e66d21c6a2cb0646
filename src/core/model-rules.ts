import { GatewayError } from './error.ts';
import { bareModel } from './model-name.ts';
import type { ApiKey, ProviderBinding } from './snapshot.ts';

/** Whose lists a model must be on: the caller's key and the entry of the catalog (decisions D18). */
export interface ModelRules {
  readonly key: ApiKey | undefined;
  readonly binding: ProviderBinding;
}

/** True where not every model may be asked. A list that takes the empty name takes all. */
export function isLimited({ key, binding }: ModelRules): boolean {
  return key?.allowsModel('') === false || !binding.allowsModel('');
}

/**
 * Why this model may not be asked; undefined where it may. A slug before it does not count, and no name is no model.
 *
 * @param seen where it stands, behind the name: `, which line 3 of the file names`
 */
export function forbidden({ key, binding }: ModelRules, named: string, seen = ''): GatewayError | undefined {
  const model = bareModel(named);
  if (model === '') return undefined;
  if (key?.allowsModel(model) === false) return forbiddenByKey(key.name, model, seen);
  return binding.allowsModel(model) ? undefined : forbiddenByEntry(binding.slug, model, seen);
}

/** Refuses models that a provider found itself. @throws GatewayError `not_allowed` */
export function checkModels(rules: ModelRules, models: readonly string[] | undefined): void {
  if (models === undefined) return;
  for (const model of models) {
    const refusal = forbidden(rules, model);
    if (refusal !== undefined) throw refusal;
  }
}

export const forbiddenByKey = (key: string, model: string, seen = ''): GatewayError =>
  notAllowed(`Key "${key}" may not use model "${model}"${seen}.`, 'The rule is allow.models of the key.');

export const forbiddenByEntry = (slug: string, model: string, seen = ''): GatewayError =>
  notAllowed(`Provider "${slug}" may not be used with model "${model}"${seen}.`, `The rule is providers.${slug}.models.`);

const notAllowed = (message: string, hint: string): GatewayError => new GatewayError('not_allowed', { message, hint, param: 'model' });
