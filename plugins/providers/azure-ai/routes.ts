import { GatewayError } from '#core/error.ts';
import type { Call, UpstreamAddress } from '#core/provider.ts';
import { at, memo, paramOf, withParam } from '../_shared/address.ts';
import { withoutProject } from './foundry-uri.ts';
import { choose, isSingle, type Place, placesOf } from './places.ts';
import type { FoundrySettings } from './settings.ts';

export type FoundryCall = Call<FoundrySettings>;

/** The version that the inference route stays at. */
const inferenceVersion = '2024-05-01-preview';

/** Worked out once for each settings object: a request parses no address. */
export const places = memo(placesOf);

/** The place that was looked up; anew where the request came with a host of its own. @throws GatewayError */
export function placeOf(call: FoundryCall): Place {
  const known = call.deployment as Place | undefined;
  if (known?.settings === call.settings) return known;
  const chosen = choose(places(call.settings), call.settings, known?.name ?? call.model);
  if (chosen instanceof Error) throw chosen;
  return chosen.settings as Place;
}

/** Routes of the inference format; the OpenAI format has all that this provider serves. */
const inference: ReadonlySet<string> = new Set(['chat/completions', 'embeddings', 'images/embeddings']);

/**
 * Where a route goes in the format of its deployment. `route` is encoded and stands behind `/v1/` in the gateway's path.
 *
 * @throws GatewayError `unsupported_endpoint` where the format has no such route
 */
export function address(call: FoundryCall, route: string): UpstreamAddress {
  const place = placeOf(call);
  // Vectors of pictures are the one thing that only the inference route has.
  if (place.format === 'openai' && route !== 'images/embeddings') return openai(place, call, route);
  if (place.format !== 'inference' || !inference.has(route)) throw unserved(place, route);
  return onInference(place, call, route);
}

function onInference({ uri, version }: Place, call: FoundryCall, route: string): UpstreamAddress {
  const { origin } = uri;
  if (!isSingle(uri)) {
    const sent = version ?? paramOf(call.query, 'api-version') ?? inferenceVersion;
    return at({ origin, path: `${withoutProject(uri.prefix)}/models` }, route, withParam(call.query, 'api-version', sent));
  }
  const query = version === undefined ? call.query : withParam(call.query, 'api-version', version);
  return at({ origin, path: uri.prefix }, route, query);
}

/** The v1 API refuses dated versions on hosts of the foundry; only the word `preview` goes along. */
export function openai({ uri, version }: Place, call: FoundryCall, route: string): UpstreamAddress {
  const asked = (version ?? paramOf(call.query, 'api-version'))?.trim().toLowerCase();
  const query = withParam(call.query, 'api-version', asked === 'preview' ? 'preview' : undefined);
  return at({ origin: uri.origin, path: `${uri.prefix}/openai/v1` }, route, query);
}

/** The messages API of Anthropic: no version in the query. @throws GatewayError `unsupported_endpoint` for models of others */
export function messages(call: FoundryCall, route: string): UpstreamAddress {
  const place = placeOf(call);
  if (place.format !== 'messages') throw unserved(place, route);
  const { origin, prefix } = place.uri;
  return at({ origin, path: `${withoutProject(prefix)}/anthropic/v1` }, route, withParam(call.query, 'api-version', undefined));
}

/** What is there to list: a resource tells its base models, a host with a single model tells that one. */
export function modelList(call: FoundryCall): UpstreamAddress {
  const place = placeOf(call);
  return isSingle(place.uri) ? onInference(place, call, 'info') : openai(place, call, 'models');
}

/** A path that is not modelled, below what the deployment speaks. */
export function relayed(call: FoundryCall, route: string): UpstreamAddress {
  const place = placeOf(call);
  if (place.format === 'inference') return onInference(place, call, route);
  return place.format === 'openai' ? openai(place, call, route) : messages(call, route);
}

const spoken = {
  inference: 'the inference route, which has chat completions and embeddings',
  openai: 'the OpenAI format',
  messages: 'the messages API',
} as const;

function unserved({ name, format }: Place, route: string): GatewayError {
  const which = name === '' ? 'This provider' : `The deployment "${name.slice(0, 100)}"`;
  const needed = route.startsWith('messages') ? 'messages' : route === 'images/embeddings' ? 'inference' : 'openai';
  return new GatewayError('unsupported_endpoint', {
    message: `${which} speaks ${spoken[format]}; ${route} is not part of it.`,
    hint: `Choose another deployment, or set its format to ${needed} where the service has this route.`,
  });
}
