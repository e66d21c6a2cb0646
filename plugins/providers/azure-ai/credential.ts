import type { CredentialSpec } from '#core/provider.ts';
import { azureCredential, type SignedPlace } from '../_azure/credential.ts';
import type { Place } from './places.ts';
import { places } from './routes.ts';
import type { FoundrySettings } from './settings.ts';

/**
 * The headers in which each format reads a key: the inference route has one, its single-model hosts
 * the other, and the official library sends both; the messages API has its own.
 */
const keyHeaders: Readonly<Record<string, readonly string[]>> = {
  inference: ['api-key', 'authorization'],
  openai: ['api-key'],
  messages: ['x-api-key', 'api-key'],
  bearer: ['authorization'],
};

/** A token before a key, never both. `signing` is the format of the deployment. */
export function credential(settings: FoundrySettings, key: string | undefined, signing = 'inference'): CredentialSpec {
  return azureCredential(settings, key, signedPlace(settings), (secret) => {
    const names = keyHeaders[signing] ?? ['api-key'];
    return { scheme: 'headers', names, secret };
  });
}

/** The entry's own address, else that of its first deployment: it tells the cloud that tokens come from. */
function signedPlace(settings: FoundrySettings): SignedPlace {
  const { base, aliases } = places(settings);
  const [first] = aliases.values();
  const uri = base instanceof Error ? (first?.settings as Place | undefined)?.uri : base;
  return uri === undefined ? {} : { origin: uri.origin, path: `${uri.prefix}/` };
}
