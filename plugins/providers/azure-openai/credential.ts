import type { CredentialSpec } from '#core/provider.ts';
import { azureCredential, type SignedPlace } from '../_azure/credential.ts';
import type { Place, Places } from './places.ts';
import type { AzureSettings } from './settings.ts';

/**
 * A token before a key, never both. A key goes in the one header that every version reads.
 *
 * @throws GatewayError for an application that came with a request and can't be used
 */
export function credential(settings: AzureSettings, key: string | undefined, places: Places): CredentialSpec {
  return azureCredential(settings, key, signedPlace(places), (secret) => ({ scheme: 'header', name: 'api-key', secret }));
}

/** The entry's own base, else that of its first deployment: it tells the cloud that tokens come from. */
function signedPlace({ base, aliases }: Places): SignedPlace {
  if (!(base instanceof Error)) return base;
  const [first] = aliases.values();
  return (first?.settings as Place | undefined)?.base ?? {};
}
