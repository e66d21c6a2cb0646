import { type Call, defineProvider, type OAuthGrant, type Provider } from '../../src/core/provider.ts';
import type { Tap } from '../../src/core/tap.ts';

/** A provider that speaks the client's format and signs with a fetched token: its key is the grant as JSON. */
interface Settings {
  readonly custom_host?: string;
}

const tap = (): Tap => ({
  event: () => 'content',
  whole: () => undefined,
  complete: true,
  usage: undefined,
  finish: [],
  model: undefined,
  id: undefined,
  fault: undefined,
  contentEvents: 0,
});

const minted: Provider = defineProvider<Settings>({
  type: 'minted',
  aliases: [],
  entry: {
    settings: { type: 'object', properties: {}, additionalProperties: false },
    requestSettings: [{ setting: 'custom_host', headers: ['custom-host'], keys: ['custom_host'], shapesHost: true }],
    apiKey: 'required',
    credential: (_settings, key) => (key === undefined ? { scheme: 'none' } : { scheme: 'oauth2', grant: JSON.parse(key) as OAuthGrant }),
  },
  operations: {
    'chat/completions': {
      begin: (body, call: Call<Settings>) => ({
        request: {
          method: 'POST',
          origin: call.settings.custom_host ?? '',
          path: '/chat',
          headers: ['content-type', 'application/json'],
          body,
          dropped: [],
        },
        tap: tap(),
      }),
    },
  },
  fault: (_status, body) => ({ message: body }),
});

export default minted;
