import { GatewayError } from '#core/error.ts';
import { withParam } from '#core/http/query.ts';
import type { Call, UpstreamAddress } from '#core/provider.ts';
import { joinAddress, paramOf } from '../_shared/address.ts';
import { entries, type FoundryTarget } from './entries.ts';
import { isSingleModelHost, withoutProject } from './foundry-uri.ts';
import type { FoundrySettings } from './settings.ts';

export type FoundryCall = Call<FoundrySettings>;

/** Default `api-version` of the inference route. */
const inferenceVersion = '2024-05-01-preview';

/** Returns the deployment of a call. @throws GatewayError */
export const targetOf = (call: FoundryCall): FoundryTarget => entries.target(call);

/** Routes of the inference format. The OpenAI format has all routes that this provider supports. */
const inferenceRoutes: ReadonlySet<string> = new Set(['chat/completions', 'embeddings', 'images/embeddings']);

/**
 * Returns the address of a route in the format of its deployment. `route` is the encoded part after `/v1/` in the gateway's path.
 *
 * @throws GatewayError `unsupported_endpoint` if the format has no such route
 */
export function address(call: FoundryCall, route: string): UpstreamAddress {
  const target = targetOf(call);
  // Only the inference route has image embeddings.
  if (target.api === 'openai' && route !== 'images/embeddings') return openaiAddress(target, call, route);
  if (target.api !== 'inference' || !inferenceRoutes.has(route)) throw unsupportedRoute(target, route);
  return inferenceAddress(target, call, route);
}

function inferenceAddress({ uri, version }: FoundryTarget, call: FoundryCall, route: string): UpstreamAddress {
  const { origin } = uri;
  if (!isSingleModelHost(uri)) {
    const apiVersion = version ?? paramOf(call.query, 'api-version') ?? inferenceVersion;
    return joinAddress({ origin, path: `${withoutProject(uri.path)}/models` }, route, withParam(call.query, 'api-version', apiVersion));
  }
  const query = version === undefined ? call.query : withParam(call.query, 'api-version', version);
  return joinAddress({ origin, path: uri.path }, route, query);
}

/** The v1 API rejects dated versions on Foundry hosts; only the version `preview` is sent. */
function openaiAddress({ uri, version }: FoundryTarget, call: FoundryCall, route: string): UpstreamAddress {
  const requested = (version ?? paramOf(call.query, 'api-version'))?.trim().toLowerCase();
  const query = withParam(call.query, 'api-version', requested === 'preview' ? 'preview' : undefined);
  return joinAddress({ origin: uri.origin, path: `${uri.path}/openai/v1` }, route, query);
}

/**
 * Returns the address of Anthropic's messages API, without a version in the query. @throws GatewayError `unsupported_endpoint` for
 * other models
 */
export function messagesAddress(call: FoundryCall, route: string): UpstreamAddress {
  const target = targetOf(call);
  if (target.api !== 'messages') throw unsupportedRoute(target, route);
  const { origin, path } = target.uri;
  return joinAddress({ origin, path: `${withoutProject(path)}/anthropic/v1` }, route, withParam(call.query, 'api-version', undefined));
}

/** The list of models: a resource lists its base models, a host with a single model lists that one. */
export function modelListAddress(call: FoundryCall): UpstreamAddress {
  const target = targetOf(call);
  return isSingleModelHost(target.uri) ? inferenceAddress(target, call, 'info') : openaiAddress(target, call, 'models');
}

/** Returns the address of a relayed path, in the format of the deployment. */
export function relayedAddress(call: FoundryCall, route: string): UpstreamAddress {
  const target = targetOf(call);
  if (target.api === 'inference') return inferenceAddress(target, call, route);
  return target.api === 'openai' ? openaiAddress(target, call, route) : messagesAddress(call, route);
}

const formatNames = {
  inference: 'the inference route, which has chat completions and embeddings',
  openai: 'the OpenAI format',
  messages: 'the messages API',
} as const;

function unsupportedRoute({ name, api: format }: FoundryTarget, route: string): GatewayError {
  const subject = name === '' ? 'This provider' : `The deployment "${name.slice(0, 100)}"`;
  const needed = route.startsWith('messages') ? 'messages' : route === 'images/embeddings' ? 'inference' : 'openai';
  return new GatewayError('unsupported_endpoint', {
    message: `${subject} uses ${formatNames[format]}, which has no route ${route}.`,
    hint: `Choose another deployment, or set its format to ${needed} where the service has this route.`,
  });
}
