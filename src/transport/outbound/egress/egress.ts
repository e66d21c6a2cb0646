import { lookup as systemLookup } from 'node:dns';
import { isIP, isIPv4, type LookupFunction } from 'node:net';
import { GatewayError } from '../../../core/error.ts';
import type { ProxySetting, Trust } from '../../../core/snapshot.ts';
import { unbracket } from '../../../core/http/listen-address.ts';
import { addressesIn, lookupFailure } from '../dns/lookups.ts';
import { type AddressRules, createAddressRules } from './address.ts';
import { HostList } from './host-list.ts';
import { createProxies, type FindProxy } from './proxy.ts';

/** The egress rules: every upstream origin is checked with `check`, and every name is resolved with `lookup`. */
export interface Egress {
  /** Why this origin may not be called, as an error for the caller; undefined when it may. */
  check(origin: string, trust: Trust): GatewayError | undefined;
  /** Name resolution for sockets. */
  lookup(trust: Trust): LookupFunction;
  /**
   * Returns the proxy for connections of this trust level. Hosts that a request chose are connected to directly, because the rules
   * need their addresses, which a proxy resolves itself. The rules do not need those of hosts that the allow list names.
   */
  proxy(trust: Trust): FindProxy;
}

/** Maximum labels of a host name. No provider has more, and longer names are attempts to find a parser's limit. */
const labelLimit = 10;
/** Maximum characters of a host name (RFC 1035 2.3.4), because pools and names are cached by host. */
const nameLimit = 253;

/** Last labels that never name a public host: names of private networks, reserved names (RFC 2606, 6761, 6762, 8375). */
const privateSuffixes: ReadonlySet<string> = new Set([
  'local',
  'localhost',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'lan',
  'home',
  'corp',
  'test',
  'example',
  'invalid',
  'onion',
  'arpa',
  'svc',
  'consul',
]);

/**
 * Returns an error if this origin must not be called. Origins written by the operator are used as they are. Origins from a
 * request must be https with a public host name, unless the allow list contains them. The path is not checked.
 */
function checkUrl(origin: string, trust: Trust, allow: HostList, rules: AddressRules): GatewayError | undefined {
  const url = parse(origin);
  if (trust === 'operator') return url === undefined ? invalidProviderHost() : undefined;
  if (url === undefined) return refusal('is not an http or https URL');
  const written = writtenHost(origin);
  if (written === undefined) return refusal('must look like https://host, without user, spaces or unusual characters');
  const host = unbracket(url.hostname);
  const what = `"${host.slice(0, 100)}"`;
  const fault = hostFault(written, url.hostname);
  if (fault !== undefined) return refusal(fault, what);
  if (allow.has(host)) return undefined;
  if (url.protocol !== 'https:' && url.protocol !== 'wss:') return refusal('does not use https', what);
  if (isIP(host) !== 0) return rules.isPublic(host) ? undefined : refusal('is not a public address', what);
  return isPrivateName(host) ? refusal('is not a public host name', what) : undefined;
}

/**
 * A `lookup` for `net.connect` that returns only public addresses, so that a public name cannot lead to an internal host,
 * not even if it changes between check and connection. Rejects a name if any of its addresses is forbidden: a name with
 * both kinds is an attack. Names and addresses of the allow list are accepted.
 */
function publicLookup(currentList: () => HostList, rules: AddressRules, resolve: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    const allow = currentList();
    resolve(hostname, { ...options, all: true }, (error, found) => {
      const addresses = error === null ? [...addressesIn(found)] : [];
      const [first] = addresses;
      if (first === undefined) {
        callback(error ?? lookupFailure('ENOTFOUND', hostname), '', 0);
        return;
      }
      const isAllowed = allow.has(hostname) || addresses.every(({ address }) => rules.isPublic(address) || allow.hasAddress(address));
      if (!isAllowed) callback(refusal('resolves to an address that is not public', `"${hostname}"`), '', 0);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Egress rules with an allow list that may change at any time. It is compiled again only after a change. */
export function createEgress(
  list: () => readonly string[],
  resolve: LookupFunction = systemLookup,
  proxySetting: () => ProxySetting | undefined = () => undefined,
): Egress {
  const rules = createAddressRules();
  let compiled: { readonly list: readonly string[]; readonly allow: HostList } | undefined;
  const allow = (): HostList => {
    const current = list();
    if (compiled?.list !== current) compiled = { list: current, allow: new HostList(current) };
    return compiled.allow;
  };
  const proxies = createProxies(proxySetting);
  const lookupOfRequests = publicLookup(allow, rules, resolve);
  return {
    check: (origin, trust) => checkUrl(origin, trust, trust === 'operator' ? noAllowList : allow(), rules),
    lookup: (trust) => (trust === 'operator' ? resolve : lookupOfRequests),
    proxy: (trust) => (trust === 'operator' ? proxies : (endpoint) => (allow().has(endpoint.host) ? proxies(endpoint) : undefined)),
  };
}

const noAllowList = new HostList([]);

function parse(origin: string): URL | undefined {
  if (!URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  return /^(https?|wss?):$/.test(url.protocol) && url.hostname !== '' ? url : undefined;
}

/**
 * The host as it was written. URL parsers accept many spellings (blanks, backslashes, escapes, user names, full-width
 * digits) and interpret them differently, so only the plain spelling is accepted.
 */
function writtenHost(origin: string): string | undefined {
  const match = /^(?:https?|wss?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?(?:[/?#][\x21-\x5b\x5d-\x7e]*)?$/i.exec(origin);
  return match?.[1]?.toLowerCase();
}

function hostFault(written: string, parsed: string): string | undefined {
  if (written.length > nameLimit) return `is longer than ${nameLimit} characters`;
  if (written.endsWith('.')) return 'ends in a dot';
  // `0x7f.1`, `017700000001`, `127.1`: unusual spellings of an address.
  if (isIPv4(parsed) && written !== parsed) return 'is an unusual notation of an IP address';
  if (!written.startsWith('[') && written.split('.').length > labelLimit) return `has more than ${labelLimit} labels`;
  return written.includes('..') || written.startsWith('.') ? 'has an empty label' : undefined;
}

/** True for a single label (`localhost`, `metadata`, a service of the cluster), and for suffixes outside of the public DNS. */
function isPrivateName(host: string): boolean {
  const labels = host.split('.');
  const last = labels.at(-1) ?? '';
  return labels.length < 2 || privateSuffixes.has(last) || host.endsWith('.home.arpa');
}

function refusal(what: string, host = 'The host of the request'): GatewayError {
  const message = host.startsWith('"') ? `A request cannot choose the host ${host}: it ${what}.` : `${host} ${what}.`;
  return new GatewayError('not_allowed', {
    message,
    hint: 'Use a public https host, or have the operator allow the host in server.egress.allow of gateway.yaml.',
  });
}

function invalidProviderHost(): GatewayError {
  return new GatewayError('not_allowed', {
    message: 'The host of the provider is not an http or https URL.',
    hint: 'Correct custom_host of the provider in gateway.yaml.',
  });
}
