import type { ProviderBinding, Snapshot } from '../../core/snapshot.ts';
import type { Status } from '../api-types.ts';

/** A first request that this configuration serves: the model to name, and whether a key has to come with it. Null without a provider. */
export function exampleOf({ providers, apiKeys, jwt }: Pick<Snapshot, 'providers' | 'apiKeys' | 'jwt'>): Status['example'] {
  for (const binding of providers.values()) {
    const model = modelOf(binding);
    if (model !== undefined) return { model: `@${binding.slug}/${model}`, needs_key: apiKeys.size > 0 || jwt !== undefined };
  }
  return null;
}

/** The first model of its list, or the one that its own test names. */
function modelOf(binding: ProviderBinding): string | undefined {
  const { unusable, virtualKey, models, provider, settings } = binding;
  if (unusable !== undefined || virtualKey !== undefined) return undefined;
  const [listed] = models ?? provider.entry.models?.(settings).map(({ id }) => id) ?? [];
  const probes = provider.entry.probe?.(settings, true) ?? [];
  const model = listed ?? probes.find(({ endpoint }) => endpoint === 'chat/completions')?.model ?? '';
  return model !== '' && binding.allowsModel(model) ? model : undefined;
}
