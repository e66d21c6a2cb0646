import { emptyBody, type EmptyBody, type JsonBody } from '#core/json/body.ts';
import type { FormUpstream } from '#core/http/form.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Call, CommonSettings, Dropped, UpstreamRequest } from '#core/provider.ts';
import { joinAddress, baseOf, memoize, paramOf } from '../_shared/address.ts';
import { versionHeaders } from '#formats/anthropic-messages/headers.ts';
import type { AnthropicSettings } from './settings.ts';

/** A call of this provider. */
export type AnthropicCall = Call<AnthropicSettings & CommonSettings>;

/** Parsed once per settings object. */
export const base = memoize((settings: AnthropicSettings) => baseOf(settings.custom_host ?? 'https://api.anthropic.com/v1'));

/** The parts that differ between requests. */
export interface SendOptions {
  /** Path after the base, encoded. */
  readonly route: string;
  readonly method?: string;
  /** Query without `?`. Default: the client's own. */
  readonly query?: string;
  readonly body?: JsonBody | EmptyBody | FormUpstream;
  readonly dropped?: readonly Dropped[];
  /** Beta features that the route needs, in addition to those that the provider's settings and the client request. */
  readonly betas?: readonly string[] | undefined;
  readonly accept?: string;
  /** Additional headers. */
  readonly headers?: HeaderPairs;
}

/** Builds a request with the headers that every request to this API needs: version, beta features, content type. */
export function send(call: AnthropicCall, options: SendOptions): UpstreamRequest {
  const body = options.body ?? emptyBody;
  const json = body.kind === 'json' ? body : undefined;
  const headers: HeaderPairs = ['accept', options.accept ?? (call.stream ? 'text/event-stream' : 'application/json')];
  if (json !== undefined) headers.push('content-type', 'application/json');
  headers.push(...anthropicHeaders(call, json, options.betas));
  if (options.headers !== undefined) headers.push(...options.headers);
  const address = joinAddress(base(call.settings), options.route, options.query ?? call.query);
  return { ...address, method: options.method ?? call.method, headers, body, dropped: options.dropped ?? noDrops };
}

const noDrops: readonly Dropped[] = Object.freeze([]);

/** Returns `anthropic-version`, and `anthropic-beta` if a feature is requested. */
export const anthropicHeaders = (call: AnthropicCall, body?: JsonBody, neededBetas?: readonly string[]): HeaderPairs =>
  versionHeaders(call, body, { version: call.settings.version, betas: call.settings.beta }, neededBetas);

/** Returns the parameters of OpenAI's lists that the service has too, and those that are not sent. */
export function listParams({ query }: AnthropicCall): { limit: string | undefined; after: string | undefined; dropped: Dropped[] } {
  const names = new Set([...new URLSearchParams(query).keys()].filter((name) => !/^(?:limit|after)$/i.test(name)));
  const dropped = [...names].map((param) => ({ param, reason: 'this service has no such list parameter' }));
  return { limit: paramOf(query, 'limit'), after: paramOf(query, 'after'), dropped };
}
