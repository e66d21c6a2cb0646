import { emptyBody } from '#core/json/body.ts';
import { GatewayError } from '#core/error.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Call, Dropped, UpstreamAddress, UpstreamRequest } from '#core/provider.ts';
import { memoize } from '../_shared/address.ts';
import { type Location, locationOf } from './location.ts';
import type { VertexSettings } from './settings.ts';

export type VertexCall = Call<VertexSettings>;

/** Computed once per settings object. */
const locationIn = memoize(locationOf);

/** Returns the location of a call. @throws GatewayError `missing_credential` */
function locationFor(call: VertexCall): Location {
  requireCredential(call, call.settings.custom_host);
  return locationIn(call.settings);
}

/** `publishers/<publisher>/models/<name>:<method>`. */
export function modelAddress(call: VertexCall, publisher: string, name: string, method: string): UpstreamAddress {
  const { origin, path } = locationFor(call);
  return { origin, path: `${path}/publishers/${publisher}/models/${encodedName(name)}:${method}` };
}

/** `endpoints/<id><tail>`; the tail begins with `:` or `/`. */
export function endpointAddress(call: VertexCall, id: string, tail: string): UpstreamAddress {
  const { origin, path, versionPath } = locationFor(call);
  if (path === versionPath) {
    throw new GatewayError('model_not_found', { message: 'Express mode serves models of the publisher google only.', param: 'model' });
  }
  return { origin, path: `${path}/endpoints/${encodeURIComponent(id)}${tail}` };
}

/** Appends `<tail>` to project and location unchanged: it must be encoded already. Express mode has no such path. */
export function resourceAddress(call: VertexCall, tail: string): UpstreamAddress {
  const { origin, path, versionPath } = locationFor(call);
  if (path === versionPath) {
    throw new GatewayError('unsupported_endpoint', {
      message: 'Express mode has no project for files, batches or tuning jobs.',
      hint: 'Use a provider with project and region.',
    });
  }
  return { origin, path: `${path}/${tail}` };
}

/** Encodes one segment, except for the `@` before a model's version, which all clients of the service send unencoded. */
const encodedName = (name: string): string => encodeURIComponent(name).replaceAll('%40', '@');

/** Headers of every request, in addition to the credential. */
export const commonHeaders = (call: VertexCall): HeaderPairs => [
  'accept',
  call.stream ? 'text/event-stream' : 'application/json',
  'content-type',
  'application/json',
  ...projectHeaders(call),
];

/** The project that is billed for a request, if it is not the project of the credential. */
export const projectHeaders = ({ settings: { quota_project: project } }: VertexCall): HeaderPairs =>
  project === undefined ? [] : ['x-goog-user-project', project];

/** Builds a request without a body, which reads or deletes something. */
export function plainRequest(
  address: UpstreamAddress,
  method: 'GET' | 'DELETE',
  headers: HeaderPairs,
  dropped: readonly Dropped[] = [],
): UpstreamRequest {
  return { ...address, method, headers, body: emptyBody, dropped };
}

/**
 * Rejects a request without a credential, with a message about what is missing. The operator's own host may need none.
 *
 * @throws GatewayError `missing_credential`
 */
export function requireCredential(call: VertexCall, host: string | undefined): void {
  if (call.credential !== 'none' || host !== undefined) return;
  throw new GatewayError('missing_credential', {
    message: 'Vertex AI needs an access token, but neither the provider nor the request has a credential.',
    param: 'authorization',
    hint: 'Set service_account or ambient for the provider, or send "authorization: Bearer ACCESS_TOKEN".',
  });
}
