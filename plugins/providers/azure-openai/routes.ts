import { GatewayError } from '#core/error.ts';
import { withParam } from '#core/http/query.ts';
import type { Call, UpstreamAddress } from '#core/provider.ts';
import { joinAddress, paramOf, encodeSegment } from '../_shared/address.ts';
import { type ApiVersion, apiVersionFor, type AzureOpenAiTarget } from './entries.ts';
import type { AzureSettings } from './settings.ts';

/** Routes with the deployment in the path on dated versions; batches never have it. */
const deploymentRoutes: ReadonlySet<string> = new Set([
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

/** The client's own `api-version` is used only if the configuration does not set one. */
const versionOf = (target: AzureOpenAiTarget, call: AzureCall): ApiVersion =>
  target.api ?? apiVersionFor(paramOf(call.query, 'api-version'));

/** True for URLs with a dated version, which have no `/v1`. */
export const isDated = (target: AzureOpenAiTarget, call: AzureCall): boolean => versionOf(target, call).urlStyle === 'dated';

/** True if the deployment is in the path, so that the name in the body has no effect. */
export const isDeploymentInPath = (target: AzureOpenAiTarget, call: AzureCall, route: string): boolean =>
  isDated(target, call) && deploymentRoutes.has(route);

/**
 * Returns the address of a route. `route` is the encoded part after `/v1/` in the gateway's own path.
 *
 * @throws GatewayError `model_not_found` if the path needs a deployment and none is known
 */
export function address(target: AzureOpenAiTarget, call: AzureCall, route: string): UpstreamAddress {
  const { urlStyle, version } = versionOf(target, call);
  const query = withParam(call.query, 'api-version', version);
  if (urlStyle === 'v1') return joinAddress(target.uri, `v1/${route}`, query);
  if (!deploymentRoutes.has(route)) return joinAddress(target.uri, route, query);
  if (target.id === undefined) {
    throw new GatewayError('model_not_found', {
      message: 'The route needs a deployment, and the request names none.',
      param: 'model',
      hint: 'Send a model, or x-gateway-azure-deployment-id.',
    });
  }
  return joinAddress(target.uri, `deployments/${encodeSegment(target.id)}/${route}`, query);
}

/** Returns the address of the realtime WebSocket. The deployment is in the query, under a name that depends on the version. */
export function realtimeAddress(target: AzureOpenAiTarget, call: AzureCall): UpstreamAddress {
  const { urlStyle, version } = versionOf(target, call);
  const id = target.id ?? (call.model === '' ? undefined : call.model);
  const isDatedUrl = urlStyle === 'dated';
  // A key in the query is meant for browsers, which cannot set headers. The gateway signs with a header.
  const baseQuery = withParam(withParam(call.query, 'api-key', undefined), 'api-version', version);
  const query = withParam(withParam(baseQuery, 'model', isDatedUrl ? undefined : id), 'deployment', isDatedUrl ? id : undefined);
  return joinAddress(target.uri, isDatedUrl ? 'realtime' : 'v1/realtime', query);
}
