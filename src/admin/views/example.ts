import { firstModelOf } from '../../core/model/first-model.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Status } from '../api-types.ts';

/** Example request for this configuration: the model, and whether an API key is required. Null without a provider. */
export function exampleOf({ providers, apiKeys, jwt }: Pick<Snapshot, 'providers' | 'apiKeys' | 'jwt'>): Status['example'] {
  const model = firstModelOf(providers.values());
  return model === undefined ? null : { model, needs_key: apiKeys.size > 0 || jwt !== undefined };
}
