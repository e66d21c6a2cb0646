import { defineProvider, type CommonSettings, type Probe, type Provider } from '#core/provider.ts';
import { historyOf } from '#formats/history/rules.ts';
import { type ChatQuirk, isChatQuirk } from '#formats/openai-chat/quirks/quirk.ts';
import { openaiFault } from '#formats/openai-chat/fault.ts';
import { RealtimeTap } from '#formats/openai-objects/realtime-tap.ts';
import { openaiEndpoints } from '#formats/openai-objects/taps.ts';
import { joinAddress, baseOf, customHostProblems, memoize, relayedRoute } from '../_shared/address.ts';
import { openaiCompatible } from '../_shared/openai-compatible.ts';
import type { Vendor } from './row.ts';

const fixes = {
  401: 'check the key: it was revoked, or belongs to another service',
  403: 'give the key the permission to list models',
  404: 'check custom_host: use the base URL that the service documents for OpenAI libraries',
} as const;

const modelListProbe: Probe = { endpoint: 'models', method: 'GET', model: '', proves: 'credential', fixes };

/** What every service of this format lacks but OpenAI's own. */
const ofAll: ChatQuirk = { offersAllowedTools: true };

/** Creates the provider of a row. */
export function vendorProvider(vendor: Vendor): Provider {
  const { type, aliases = [], telemetryName, title, host, keyVariable, routes, priceList, quirks = [], accountHeaders } = vendor;
  const base = memoize((settings: CommonSettings) => baseOf(settings.custom_host ?? host));
  const history = historyOf(quirks);
  const imageEdits = quirks.find((quirk) => quirk.imageEdits !== undefined)?.imageEdits;
  return defineProvider<CommonSettings>({
    type,
    aliases,
    entry: {
      service: { title, host, keyVariable },
      ...(telemetryName === undefined ? {} : { telemetryName }),
      ...(priceList === undefined ? {} : { prices: { list: priceList } }),
      settings: { type: 'object', additionalProperties: false, properties: {} },
      requestSettings: [],
      ...(accountHeaders === undefined ? {} : { accountHeaders }),
      apiKey: keyVariable === undefined ? 'optional' : 'required',
      check: (settings) => customHostProblems(settings.custom_host),
      credential: (_settings, key) => (key === undefined ? { scheme: 'none' } : { scheme: 'bearer', secret: key }),
      ...(routes.includes('models') ? { probe: () => [modelListProbe] } : {}),
    },
    operations: openaiCompatible<CommonSettings>({
      address: (call, route) => joinAddress(base(call.settings), route, call.query),
      extensions: () => 'drop',
      supportedExtensions: quirks.flatMap(({ supportedExtensions = [] }) => supportedExtensions),
      quirks: [ofAll, ...quirks.filter(isChatQuirk)],
      history: () => history,
      ...(imageEdits === undefined ? {} : { imageEdits }),
      unsupportedEndpoints: openaiEndpoints.filter((endpoint) => !routes.includes(endpoint)),
    }),
    relay: (call, path) => joinAddress(base(call.settings), relayedRoute(path), call.query),
    socketTap: () => new RealtimeTap(),
    fault: openaiFault,
  });
}
