import { GatewayError } from '../error.ts';
import type { ApiKey, ProviderBinding, Snapshot } from '../snapshot.ts';

/** What of a catalog a key may name: messages suggest nothing else, so that a guess tells nobody what there is. */

/** Slugs and virtual keys. A key that is bound to a config names none. */
export function* usableProviders({ providers }: Pick<Snapshot, 'providers'>, key: ApiKey | undefined): Iterable<string> {
  if (key?.enforceConfig === true) return;
  for (const [name, binding] of providers) if (key === undefined || mayName(key, name, binding)) yield name;
}

/** A virtual key is allowed by its own name, or by its provider's. */
const mayName = (key: ApiKey, name: string, { slug }: ProviderBinding): boolean => key.allowsProvider(name) || key.allowsProvider(slug);

/** Named configs. */
export function* usableConfigs({ configs }: Pick<Snapshot, 'configs'>, key: ApiKey | undefined): Iterable<string> {
  for (const name of configs.keys()) {
    if (key === undefined || name === key.defaultConfig || (!key.enforceConfig && key.allowsConfig(name))) yield name;
  }
}

/** The error without a suggestion of these names: for errors of parts that know of no key. */
export function without(error: GatewayError, unusable: ReadonlySet<string>): GatewayError {
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
