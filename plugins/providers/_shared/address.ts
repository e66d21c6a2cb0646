import { GatewayError } from '#core/error.ts';
import { checkPath } from '#core/http/plain-path.ts';
import type { SettingsProblem, UpstreamAddress } from '#core/provider.ts';

/** The base of a service's routes: `origin` is scheme, host and port; `path` is encoded and has no trailing slash. */
export interface Base {
  readonly origin: string;
  readonly path: string;
}

/** Caches the result of `make` for each settings object, so that requests don't parse URLs. Call it once, where a provider is defined. */
export function memoize<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const cache = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    let entry = cache.get(key);
    if (entry === undefined) {
      entry = { value: make(key) };
      cache.set(key, entry);
    }
    return entry.value;
  };
}

/** Parses a base URL from the configuration or a request; returns the reason as text if it is invalid. */
export function parseBase(text: string): (Base & { readonly url: URL }) | string {
  const trimmed = text.trim();
  let url: URL;
  try {
    url = new URL(trimmed);
  } catch {
    return trimmed.includes('://') ? 'it is not a URL' : 'it has no scheme, for example https://';
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `the scheme is ${url.protocol.slice(0, -1)}, not https or http`;
  if (url.username !== '' || url.password !== '') return 'it contains a user name or password';
  if (url.hash !== '') return 'it contains a fragment (#…)';
  return { url, origin: url.origin, path: url.pathname.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '') };
}

/** Parses a base URL. @throws GatewayError `invalid_config` */
export function baseOf(text: string): Base {
  const base = parseBase(text);
  if (typeof base === 'string') throw invalidHost(base);
  return { origin: base.origin, path: base.path };
}

const invalidHost = (reason: string): GatewayError =>
  new GatewayError('invalid_config', {
    message: `The custom host cannot be used: ${reason}.`,
    param: 'custom_host',
    hint: 'Write it like https://host.example/v1.',
  });

/** Returns the problems of a `custom_host` that is used as written. */
export function customHostProblems(customHost: string | undefined): readonly SettingsProblem[] {
  if (customHost === undefined) return [];
  const base = parseBase(customHost);
  const reason = typeof base === 'string' ? base : base.url.search === '' ? undefined : 'it contains a query';
  if (reason === undefined) return [];
  const hint = typeof base === 'string' ? 'Write it like https://host.example/v1.' : `Write ${base.origin}${base.path}.`;
  return [{ path: ['custom_host'], code: 'bad-custom-host', message: `custom_host cannot be used: ${reason}`, hint }];
}

/**
 * Encodes a text as one path segment. It cannot add segments, leave its segment, or end the path.
 *
 * @throws GatewayError `route_not_found` for names that cannot be a segment
 */
export function encodeSegment(text: string): string {
  if (text === '' || text === '.' || text === '..') {
    throw new GatewayError('route_not_found', { message: `"${text}" cannot be part of an upstream path.` });
  }
  return encodeURIComponent(text.toWellFormed());
}

/**
 * Encodes the id of an object from a path as one segment. No service of this format creates ids with slashes. Some proxies in
 * front of a service resolve `%2F..`, and the resulting path could belong to another account.
 *
 * @throws GatewayError `invalid_value` (404), `route_not_found`
 */
export function encodeIdSegment(id: string): string {
  if (!/[/\\]/.test(id)) return encodeSegment(id);
  throw new GatewayError('invalid_value', {
    message: `"${id.slice(0, 100)}" is not the id of an object at this provider.`,
    status: 404,
    param: 'id',
  });
}

/**
 * Returns the part of a relayed path after `/v1/`, as sent.
 *
 * @throws GatewayError `route_not_found`
 */
export function relayedRoute(path: string): string {
  checkPath(path);
  const route = path.replace(/^\/?(?:v1(?:\/|$))?/, '');
  return encodeUnsafe(route).replaceAll('?', '%3F').replace(/^\/+/, '');
}

/** Joins base, route and query. The route must be encoded already; the query is the client's. */
export function joinAddress(base: Base, route: string, query: string): UpstreamAddress {
  const path = `${base.path}/${route}`;
  return { origin: base.origin, path: query === '' ? path : `${path}?${encodeUnsafe(query)}` };
}

/** Encodes characters that would end a query or split a request line. All others stay unchanged. */
const encodeUnsafe = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /^[\x21\x22\x24-\x7e]*$/.test(text)
    ? text
    : text.replaceAll(/[^\x21\x22\x24-\x7e]+/gu, (unsafe) => encodeURIComponent(unsafe.toWellFormed()));

/** Returns a parameter of a query, decoded. Names are compared case-insensitively. */
export function paramOf(query: string, name: string): string | undefined {
  if (query === '') return undefined;
  for (const [key, value] of new URLSearchParams(query)) if (key.toLowerCase() === name) return value;
  return undefined;
}
