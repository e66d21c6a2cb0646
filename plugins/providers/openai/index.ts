import { defineProvider } from '#core/provider.ts';
import { joinAddress, baseOf, customHostProblems, memoize, relayedRoute } from '../_shared/address.ts';
import { openaiCompatible } from '../_shared/openai-compatible.ts';
import { RealtimeTap } from '#formats/openai-objects/realtime-tap.ts';
import { openaiFault } from '#formats/openai-chat/fault.ts';
import { accountHeaders, forwardedHeaders, openaiHeaders } from './headers.ts';
import { probe } from './probe.ts';
import { requestSettings, type OpenAiSettings, schema } from './settings.ts';

/** Parsed once per settings object. */
const base = memoize((settings: OpenAiSettings) => baseOf(settings.custom_host ?? 'https://api.openai.com/v1'));

/** OpenAI, and with `custom_host` any service that uses its format. */
export default defineProvider<OpenAiSettings>({
  type: 'openai',
  aliases: [],
  entry: {
    // The flex and batch tiers cost half (https://platform.openai.com/docs/pricing). The list has no prices of other tiers.
    prices: { list: 'openai', tiers: { flex: '0.5', batch: '0.5' }, soundApart: true },
    service: { title: 'OpenAI', host: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY' },
    settings: schema,
    requestSettings,
    accountHeaders: ['openai-organization', 'openai-project'],
    forwardedHeaders,
    apiKey: 'required',
    check: (settings) => customHostProblems(settings.custom_host),
    credential: (_settings, key) => (key === undefined ? { scheme: 'none' } : { scheme: 'bearer', secret: key }),
    probe,
  },
  operations: openaiCompatible<OpenAiSettings>({
    address: (call, route) => joinAddress(base(call.settings), route, call.query),
    headers: openaiHeaders,
    extensions: (settings) => (settings.custom_host === undefined ? 'drop' : 'pass'),
  }),
  relay: (call, path) => ({ ...joinAddress(base(call.settings), relayedRoute(path), call.query), headers: accountHeaders(call) }),
  socketTap: () => new RealtimeTap(),
  fault: openaiFault,
});
