import { GatewayError } from '#core/error.ts';
import type { Call, UpstreamAddress } from '#core/provider.ts';
import { at, paramOf, withParam } from '../_shared/address.ts';
import { entries, type Target } from './entries.ts';
import { isSingle, withoutProject } from './foundry-uri.ts';
import type { FoundrySettings } from './settings.ts';

export type FoundryCall = Call<FoundrySettings>;

/** Default `api-version` of the inference route. */
const inferenceVersion = '2024-05-01-preview';

/** Returns the deployment of a call. @throws GatewayError */
export const targetOf = (call: FoundryCall): Target => entries.target(call);

/** Routes of the inference format. The OpenAI format has all routes that this provider supports. */
const inference: ReadonlySet<string> = new Set(['chat/completions', 'embeddings', 'images/embeddings']);

/**
 * Returns the address of a route in the format of its deployment. `route` is the encoded part after `/v1/` in the gateway's path.
 *
 * @throws GatewayError `unsupported_endpoint` if the format has no such route
 */
export function address(call: FoundryCall, route: string): UpstreamAddress {
  const target = targetOf(call);
  // Only the inference route has image embeddings.
  if (target.api === 'openai' && route !== 'images/embeddings') return openai(target, call, route);
  if (target.api !== 'inference' || !inference.has(route)) throw unserved(target, route);
  return onInference(target, call, route);
}

function onInference({ uri, version }: Target, call: FoundryCall, route: string): UpstreamAddress {
  const { origin } = uri;
  if (!isSingle(uri)) {
    const sent = version ?? paramOf(call.query, 'api-version') ?? inferenceVersion;
    return at({ origin, path: `${withoutProject(uri.path)}/models` }, route, withParam(call.query, 'api-version', sent));
  }
  const query = version === undefined ? call.query : withParam(call.query, 'api-version', version);
  return at({ origin, path: uri.path }, route, query);
}

/** The v1 API rejects dated versions on Foundry hosts; only the version `preview` is sent. */
function openai({ uri, version }: Target, call: FoundryCall, route: string): UpstreamAddress {
  const requested = (version ?? paramOf(call.query, 'api-version'))?.trim().toLowerCase();
  const query = withParam(call.query, 'api-version', requested === 'preview' ? 'preview' : undefined);
  return at({ origin: uri.origin, path: `${uri.path}/openai/v1` }, route, query);
}

/**
 * Returns the address of Anthropic's messages API, without a version in the query. @throws GatewayError `unsupported_endpoint` for
 * other models
 */
export function messages(call: FoundryCall, route: string): UpstreamAddress {
  const target = targetOf(call);
  if (target.api !== 'messages') throw unserved(target, route);
  const { origin, path } = target.uri;
  return at({ origin, path: `${withoutProject(path)}/anthropic/v1` }, route, withParam(call.query, 'api-version', undefined));
}

/** The list of models: a resource lists its base models, a host with a single model lists that one. */
export function modelList(call: FoundryCall): UpstreamAddress {
  const target = targetOf(call);
  return isSingle(target.uri) ? onInference(target, call, 'info') : openai(target, call, 'models');
}

/** Returns the address of a relayed path, in the format of the deployment. */
export function relayed(call: FoundryCall, route: string): UpstreamAddress {
  const target = targetOf(call);
  if (target.api === 'inference') return onInference(target, call, route);
  return target.api === 'openai' ? openai(target, call, route) : messages(call, route);
}

const formatNames = {
  inference: 'the inference route, which has chat completions and embeddings',
  openai: 'the OpenAI format',
  messages: 'the messages API',
} as const;

function unserved({ name, api: format }: Target, route: string): GatewayError {
  const which = name === '' ? 'This provider' : `The deployment "${name.slice(0, 100)}"`;
  const needed = route.startsWith('messages') ? 'messages' : route === 'images/embeddings' ? 'inference' : 'openai';
  return new GatewayError('unsupported_endpoint', {
    message: `${which} uses ${formatNames[format]}, which has no route ${route}.`,
    hint: `Choose another deployment, or set its format to ${needed} where the service has this route.`,
  });
}
