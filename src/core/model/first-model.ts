import type { ProviderBinding } from '../snapshot.ts';

/** A model that a provider serves without more in the request: the first of its list, or the one that its own test names. */
export function firstModelOf(binding: ProviderBinding): string | undefined {
  const { unusable, virtualKey, models, provider, settings } = binding;
  if (unusable !== undefined || virtualKey !== undefined) return undefined;
  const [listed] = models ?? provider.entry.models?.(settings).map(({ id }) => id) ?? [];
  const probes = provider.entry.probe?.(settings, true) ?? [];
  const model = listed ?? probes.find(({ endpoint }) => endpoint === 'chat/completions')?.model ?? '';
  return model !== '' && binding.allowsModel(model) ? model : undefined;
}
