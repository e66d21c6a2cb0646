import { traitsOf } from '#core/endpoint.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import { type Call, defineProvider, type Deployment } from '#core/provider.ts';
import { memo, relayedRoute } from '../_shared/address.ts';
import { batchLine } from '#formats/openai-objects/batch-lines.ts';
import { callerHeaders, openaiCompatible } from '../_shared/openai-compatible.ts';
import { check } from './check.ts';
import { azureAuthModes } from '../_azure/auth-modes.ts';
import { azureFault } from '../_azure/fault.ts';
import { azureProbes } from '../_azure/probes.ts';
import { isBatchInput } from '#core/json/batch-file.ts';
import { credential } from './credential.ts';
import { datedBody } from './dated-body.ts';
import { importUri } from './import-uri.ts';
import { objectOf } from './objects.ts';
import { choose, type Place, placesOf } from './places.ts';
import { address, inPath, isDated, realtime } from './routes.ts';
import { type AzureSettings, requestSettings, schema } from './settings.ts';

/** Worked out once for each settings object: a request parses no address. */
const places = memo(placesOf);

const perRequest = ['openai-beta', 'idempotency-key', 'x-client-request-id', 'x-ms-client-request-id'] as const;

/** Azure OpenAI: the OpenAI format behind resources, deployments and dated versions. */
export default defineProvider<AzureSettings>({
  type: 'azure-openai',
  aliases: ['cloud-provider-b'],
  settings: schema,
  requestSettings,
  accountHeaders: ['x-ms-oai-image-generation-deployment'],
  apiKey: 'required',
  check,
  deployment: (settings, model) => choose(places(settings), settings, model),
  models: (settings) =>
    [...places(settings).aliases].map(([id, { foundationModel }]) => (foundationModel === undefined ? { id } : { id, foundationModel })),
  authModes: azureAuthModes,
  credential: (settings, key) => credential(settings, key, places(settings)),
  operations: openaiCompatible<AzureSettings>({
    address: (call, route) => address(placeOf(call), call, route),
    headers: (call): HeaderPairs => callerHeaders(call, perRequest),
    extensions: () => 'drop',
    bodyModel(call, route, named) {
      if (traitsOf(call.endpoint).baseModel === true) return call.model;
      const place = placeOf(call);
      if (!inPath(place, call, route)) return place.id ?? call.model;
      // The path decides; the body's own name stays unless it is one of ours.
      return place.alias || (typeof named === 'string' && named.startsWith('@')) ? keepAbsent(named, place.id) : undefined;
    },
    body: (body, call) =>
      traitsOf(call.endpoint).state === 'creates' && isDated(placeOf(call), call) ? datedBody(body, call.endpoint) : body,
    lines(form, call) {
      if (!isBatchInput(form)) return undefined;
      const { aliases } = places(call.settings);
      return batchLine({ isDated: isDated(placeOf(call), call), deployment: (alias) => aliases.get(alias)?.model });
    },
    object: objectOf,
    without: ['moderations', 'images/variations'],
  }),
  relay(call, path) {
    const place = placeOf(call);
    const route = relayedRoute(path);
    return route === 'realtime' ? realtime(place, call) : address(place, call, route);
  },
  fault: azureFault,
  importUri,
  probe: (settings, deep) => azureProbes(places(settings).aliases, originOf, deep),
});

const originOf = ({ settings }: Deployment): string => {
  const { origin, path } = (settings as Place).base;
  return origin + path;
};

/** A body that names no model needs none where the path does. */
const keepAbsent = (named: unknown, id: string | undefined): string | undefined => (named === undefined ? undefined : id);

/** The place that was looked up; anew where the request came with a host of its own. @throws GatewayError */
function placeOf(call: Call<AzureSettings>): Place {
  const known = call.deployment as Place | undefined;
  if (known?.settings === call.settings) return known;
  const chosen = choose(places(call.settings), call.settings, known?.name ?? call.model);
  if (chosen instanceof Error) throw chosen;
  return chosen.settings as Place;
}
