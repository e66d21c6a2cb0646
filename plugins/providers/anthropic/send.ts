import { emptyBody, type EmptyBody, type JsonBody } from '#core/json/body.ts';
import type { FormUpstream } from '#core/http/form.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Call, CommonSettings, Dropped, UpstreamRequest } from '#core/provider.ts';
import { at, baseOf, memo } from '../_shared/address.ts';
import { betasOf, versionOf } from '#formats/anthropic-messages/headers.ts';
import { type AnthropicSettings, defaultVersion, ownBetas } from './settings.ts';

/** A call of this provider. */
export type ACall = Call<AnthropicSettings & CommonSettings>;

/** Parsed once per settings object. */
export const base = memo((settings: AnthropicSettings) => baseOf(settings.custom_host ?? 'https://api.anthropic.com/v1'));

/** The parts that differ between requests. */
export interface Sent {
  /** Path after the base, encoded. */
  readonly route: string;
  readonly method?: string;
  /** Query without `?`. Default: the client's own. */
  readonly query?: string;
  readonly body?: JsonBody | EmptyBody | FormUpstream;
  readonly dropped?: readonly Dropped[];
  /** Beta features that the route needs, in addition to those that the provider's settings and the client request. */
  readonly betas?: readonly string[];
  readonly accept?: string;
  /** Additional headers. */
  readonly headers?: HeaderPairs;
}

/** Builds a request with the headers that every request to this API needs: version, beta features, content type. */
export function send(call: ACall, sent: Sent): UpstreamRequest {
  const body = sent.body ?? emptyBody;
  const json = body.kind === 'json' ? body : undefined;
  const headers: HeaderPairs = ['accept', sent.accept ?? (call.stream ? 'text/event-stream' : 'application/json')];
  if (json !== undefined) headers.push('content-type', 'application/json');
  headers.push(...versionHeaders(call, json, sent.betas));
  if (sent.headers !== undefined) headers.push(...sent.headers);
  const address = at(base(call.settings), sent.route, sent.query ?? call.query);
  return { ...address, method: sent.method ?? call.method, headers, body, dropped: sent.dropped ?? none };
}

const none: readonly Dropped[] = Object.freeze([]);

/** Returns `anthropic-version`, and `anthropic-beta` if a feature is requested. */
export function versionHeaders(call: ACall, body: JsonBody | undefined, needed: readonly string[] = []): HeaderPairs {
  const headers: HeaderPairs = ['anthropic-version', versionOf(call, body, call.settings.version ?? defaultVersion)];
  const betas = betasOf(call, body, needed.length === 0 ? ownBetas(call.settings) : [...ownBetas(call.settings), ...needed]);
  if (betas.length > 0) headers.push('anthropic-beta', betas.join(','));
  return headers;
}

/** Returns the query parameters that are not sent. */
export function otherParams(query: string, taken: readonly string[]): readonly Dropped[] {
  const names = new Set([...new URLSearchParams(query).keys()].filter((name) => !taken.includes(name.toLowerCase())));
  return [...names].map((param) => ({ param, reason: 'this service has no such list parameter' }));
}
