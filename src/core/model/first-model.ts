import type { ProviderBinding } from '../snapshot.ts';

/**
 * Returns a model for an example request, as a request names it; undefined if none can be used without further settings
 * in the request. Models from provider tests are preferred over the first one of a list, whose responses may be mocked.
 */
export function firstModelOf(bindings: Iterable<ProviderBinding>): string | undefined {
  const usable = [...bindings].filter(({ unusable, virtualKey }) => unusable === undefined && virtualKey === undefined);
  for (const modelOf of [testedModel, firstListedModel]) {
    for (const binding of usable) {
      const model = modelOf(binding) ?? '';
      if (model !== '' && binding.allowsModel(model)) return `@${binding.slug}/${model}`;
    }
  }
  return undefined;
}

const testedModel = ({ provider, settings }: ProviderBinding): string | undefined =>
  provider.entry.probe?.(settings, true).find(({ endpoint }) => endpoint === 'chat/completions')?.model;

const firstListedModel = ({ models, provider, settings }: ProviderBinding): string | undefined =>
  (models ?? provider.entry.models?.(settings).map(({ id }) => id))?.[0];
