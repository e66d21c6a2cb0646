import { GatewayError } from '#core/error.ts';
import type { Call, UpstreamAddress } from '#core/provider.ts';
import { at, paramOf, segment, withParam } from '../_shared/address.ts';
import type { Place } from './places.ts';
import type { AzureSettings } from './settings.ts';
import { type Form, formFor } from '../_azure/version.ts';

/** Routes that carry the deployment in the path on dated versions; batches never do. */
const scoped: ReadonlySet<string> = new Set([
  'chat/completions',
  'completions',
  'embeddings',
  'images/generations',
  'images/edits',
  'audio/speech',
  'audio/transcriptions',
  'audio/translations',
]);

type AzureCall = Call<AzureSettings>;

/** The form of this request: the client's own `api-version` counts only where the configuration leaves it open. */
const formOfCall = (place: Place, call: AzureCall): Form => place.form ?? formFor(paramOf(call.query, 'api-version'));

/** True for the URL forms with a date as version, which know no `/v1`. */
export const isDated = (place: Place, call: AzureCall): boolean => formOfCall(place, call).form === 'dated';

/** True where the deployment goes into the path, so that the name in the body decides nothing. */
export const inPath = (place: Place, call: AzureCall, route: string): boolean => isDated(place, call) && scoped.has(route);

/**
 * Where a route goes. `route` is encoded and stands behind `/v1/` in the gateway's own path.
 *
 * @throws GatewayError `model_not_found` when the path needs a deployment and none is known
 */
export function address(place: Place, call: AzureCall, route: string): UpstreamAddress {
  const { form, version } = formOfCall(place, call);
  const query = withParam(call.query, 'api-version', version);
  if (form === 'v1') return at(place.base, `v1/${route}`, query);
  if (!scoped.has(route)) return at(place.base, route, query);
  if (place.id === undefined) {
    throw new GatewayError('model_not_found', {
      message: 'The route needs a deployment, and the request names none.',
      param: 'model',
      hint: 'Send a model, or x-gateway-cloud-deployment-id.',
    });
  }
  return at(place.base, `deployments/${segment(place.id)}/${route}`, query);
}

/** The realtime WebSocket: the deployment is in the query, under a name that depends on the form. */
export function realtime(place: Place, call: AzureCall): UpstreamAddress {
  const { form, version } = formOfCall(place, call);
  const id = place.id ?? (call.model === '' ? undefined : call.model);
  const dated = form === 'dated';
  // A key in the query is for browsers without headers; we sign with a header.
  const bare = withParam(withParam(call.query, 'api-key', undefined), 'api-version', version);
  const query = withParam(withParam(bare, 'model', dated ? undefined : id), 'deployment', dated ? id : undefined);
  return at(place.base, dated ? 'realtime' : 'v1/realtime', query);
}
