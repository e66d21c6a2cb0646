import type { ProviderBinding } from '../snapshot.ts';

/** A model of the configuration. */
export interface KnownModel {
  /** Its name as the caller writes it. */
  readonly id: string;
  /** The provider or virtual key that serves it. */
  readonly owner: string;
  /** Its name at that provider, after `override_params`. */
  readonly model: string;
}

/** Model names from the settings of the entry, then those of its `models:` list that it can serve. */
export function modelNamesOf({ provider, settings, models }: ProviderBinding): readonly string[] {
  const named = provider.entry.models?.(settings).map(({ id }) => id) ?? [];
  const allowed = (models ?? []).filter((model) => !(provider.entry.deployment?.(settings, model) instanceof Error));
  return [...new Set([...named, ...allowed])];
}

/** True if the provider also serves names that its settings do not contain. Its `models:` list may still forbid them. */
export const servesUnlistedModels = ({ provider, settings }: ProviderBinding): boolean =>
  !(provider.entry.deployment?.(settings, unlistedName) instanceof Error);

/** A name that no configuration contains. */
export const unlistedName = 'name-of-another-model';
