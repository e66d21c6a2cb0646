import type { CredentialSpec, Provider } from '../../src/core/provider.ts';
import { isJsonObject } from '../../src/core/json/merge.ts';
import azure from '../../plugins/providers/azure-openai/index.ts';

/**
 * azure-openai as it is, but for one thing: where a request's application would get its token from the public cloud's
 * authority, which no request can change, it gets it from `local_authority`. Any other authority is a mistake.
 */
const publicAuthority = 'https://login.microsoftonline.com';
const properties = isJsonObject(azure.entry.settings['properties']) ? azure.entry.settings['properties'] : {};

function moved(spec: CredentialSpec, authority: unknown): CredentialSpec {
  if (spec.scheme !== 'oauth2' || typeof authority !== 'string') return spec;
  const { grant } = spec;
  if (grant.kind !== 'client-credentials') throw new Error(`a request brought a grant of kind ${grant.kind}`);
  if (grant.endpoint.base !== publicAuthority) throw new Error('a request has its token from elsewhere');
  return { scheme: 'oauth2', grant: { ...grant, endpoint: { ...grant.endpoint, base: authority } } };
}

const local: Provider = Object.freeze({
  ...azure,
  type: 'azure-local',
  aliases: [],
  entry: {
    ...azure.entry,
    settings: { ...azure.entry.settings, properties: { ...properties, local_authority: { type: 'string', description: 'For tests.' } } },
    requestSettings: [
      ...azure.entry.requestSettings,
      { setting: 'local_authority', headers: ['local-authority'], keys: ['local_authority'], shapesHost: false },
    ],
    credential: (settings, key, signing) =>
      moved(azure.entry.credential(settings, key, signing), (settings as { readonly local_authority?: unknown }).local_authority),
  },
} satisfies Provider);

export default local;
