import { GatewayError } from '../error.ts';
import type { ApiKey, ProviderBinding, Snapshot } from '../snapshot.ts';

/** Names of the catalog that a key may use. Messages suggest only these, so that callers cannot discover other names. */

/** Provider slugs and virtual keys. A key that is bound to a config may use none by name. */
export function* usableProviders({ providers }: Pick<Snapshot, 'providers'>, key: ApiKey | undefined): Iterable<string> {
  if (key?.enforceConfig === true) return;
  for (const [name, binding] of providers) if (key === undefined || mayUse(key, name, binding)) yield name;
}

/** A virtual key is permitted by its own name, or by that of its provider. */
const mayUse = (key: ApiKey, name: string, { slug }: ProviderBinding): boolean => key.allowsProvider(name) || key.allowsProvider(slug);

/** Named configs. */
export function* usableConfigs({ configs }: Pick<Snapshot, 'configs'>, key: ApiKey | undefined): Iterable<string> {
  for (const name of configs.keys()) {
    if (key === undefined || name === key.defaultConfig || (!key.enforceConfig && key.allowsConfig(name))) yield name;
  }
}

/**
 * Checks that a key may use a stored prompt. Called before its versions and labels are looked up, so that other callers do not
 * learn which of them exist.
 *
 * @throws GatewayError `not_allowed`
 */
export function checkPromptAllowed(key: ApiKey | undefined, id: string): void {
  if (key?.allowsPrompt(id) === false) throw promptNotAllowed(key.name, id);
}

export const promptNotAllowed = (keyName: string, id: string): GatewayError =>
  new GatewayError('not_allowed', {
    message: `Key "${keyName}" may not use prompt "${id}".`,
    hint: 'The rule is allow.prompts of the key.',
  });

/** Returns the error without suggestions of these names, for errors of code that does not know the key. */
export function withoutSuggestions(error: GatewayError, unusable: ReadonlySet<string>): GatewayError {
  const strip = (text: string | undefined): string | undefined =>
    text?.replace(suggestion, (whole, name: string) => (unusable.has(name) ? '' : whole)).trim();
  const { code, status, param, source } = error;
  const hint = strip(error.hint);
  return new GatewayError(code, {
    message: strip(error.message) ?? '',
    status,
    param,
    source,
    hint: hint === '' ? undefined : hint,
    cause: error,
  });
}

const suggestion = / ?Did you mean "([^"]*)"\?/g;
