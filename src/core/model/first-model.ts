import type { ProviderBinding } from '../snapshot.ts';

/**
 * A model for a first request, as a request names it; undefined where none is served without more in the request. What a
 * provider's own test asks goes before the first of a list, whose responses may be made up.
 */
export function firstModelOf(bindings: Iterable<ProviderBinding>): string | undefined {
  const usable = [...bindings].filter(({ unusable, virtualKey }) => unusable === undefined && virtualKey === undefined);
  for (const modelOf of [tested, listed]) {
    for (const binding of usable) {
      const model = modelOf(binding) ?? '';
      if (model !== '' && binding.allowsModel(model)) return `@${binding.slug}/${model}`;
    }
  }
  return undefined;
}

const tested = ({ provider, settings }: ProviderBinding): string | undefined =>
  provider.entry.probe?.(settings, true).find(({ endpoint }) => endpoint === 'chat/completions')?.model;

const listed = ({ models, provider, settings }: ProviderBinding): string | undefined =>
  (models ?? provider.entry.models?.(settings).map(({ id }) => id))?.[0];
