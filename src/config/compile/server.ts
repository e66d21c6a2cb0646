import { defaultPrefixes } from '../../core/http/headers.ts';
import { requestLimits } from '../../core/json/limits.ts';
import type { NoteBounds } from '../../core/model/notes.ts';
import type { ProxySetting, ServerSettings } from '../../core/snapshot.ts';
import { parseSize } from '../../core/text/units.ts';
import type { ServerEntry } from '../schema/index.ts';
import { compileTimeouts, defaultTimeouts, requireDuration } from './timeouts.ts';
import { invalidConfig } from './invalid.ts';

const mebibyte = 1024 * 1024;

/** Defaults for `server:`. Sizes in bytes, times in milliseconds. */
const defaults = {
  maxBody: 50 * mebibyte,
  maxAnswer: 256 * mebibyte,
  bodyTimeoutMs: 600_000,
  maxInFlight: 1024,
  /** Share of `maxInFlight` that one of several keys may use. */
  keyShare: 0.75,
  maxConnections: 8192,
  drain: { delayMs: 0, timeoutMs: 25_000 },
  thinkingMemory: { size: 32 * mebibyte, perKey: 8 * mebibyte, ttl: 3_600_000 },
} as const;

/**
 * Compiles the part of `server:` that a reload may change.
 * @param hasSeveralKeys no single key may use the whole capacity
 */
export function compileServer(entry: ServerEntry = {}, hasSeveralKeys = false): ServerSettings {
  const maxInFlight = entry.max_in_flight ?? defaults.maxInFlight;
  return Object.freeze({
    maxBody: sizeOf(entry.max_body) ?? defaults.maxBody,
    maxResponse: sizeOf(entry.max_answer) ?? defaults.maxAnswer,
    maxUpload: sizeOf(entry.max_upload),
    bodyTimeout: entry.body_timeout === undefined ? defaults.bodyTimeoutMs : requireDuration(entry.body_timeout),
    memory: sizeOf(entry.memory),
    thinkingMemory: thinkingMemoryOf(entry.thinking_memory),
    json: Object.freeze({
      depth: entry.json?.max_depth ?? requestLimits.depth,
      members: entry.json?.max_members ?? requestLimits.members,
    }),
    timeouts: Object.freeze({ ...defaultTimeouts, ...compileTimeouts(entry.timeouts) }),
    headerPrefixes: Object.freeze([...(entry.header_prefixes ?? defaultPrefixes)]),
    corsOrigins: Object.freeze((entry.cors?.origins ?? []).map(originOf)),
    allowsAnonymous: entry.open ?? false,
    exposeRouting: entry.expose_routing ?? true,
    maxInFlight,
    maxInFlightPerKey:
      entry.max_in_flight_per_key ?? (hasSeveralKeys ? Math.ceil(maxInFlight * defaults.keyShare) : Number.POSITIVE_INFINITY),
    maxConnections: maxConnectionsOf(entry),
    fastPath: entry.fast_path ?? true,
    drain: Object.freeze({
      delayMs: entry.drain?.delay === undefined ? defaults.drain.delayMs : requireDuration(entry.drain.delay),
      timeoutMs: entry.drain?.timeout === undefined ? defaults.drain.timeoutMs : requireDuration(entry.drain.timeout),
    }),
    egressAllow: Object.freeze([...(entry.egress?.allow ?? [])]),
    egressProxy: proxyOf(entry.egress),
  });
}

/** The proxy of the configuration; undefined if there is none, or if its variable is empty. */
export const proxyOf = (egress: ServerEntry['egress']): ProxySetting | undefined =>
  egress?.proxy === undefined || egress.proxy === '' ? undefined : Object.freeze({ url: egress.proxy, except: egress.no_proxy ?? [] });

/** Maximum number of client connections. */
export const maxConnectionsOf = (entry: ServerEntry | undefined): number => entry?.max_connections ?? defaults.maxConnections;

function thinkingMemoryOf(entry: ServerEntry['thinking_memory']): NoteBounds | undefined {
  if (typeof entry === 'string') return undefined;
  const { size, perKey, ttl } = defaults.thinkingMemory;
  return Object.freeze({
    size: sizeOf(entry?.size) ?? size,
    perKey: sizeOf(entry?.per_key) ?? perKey,
    ttl: entry?.ttl === undefined ? ttl : requireDuration(entry.ttl),
  });
}

/** Origin as browsers write it: lower case, without the default port of the scheme. */
const originOf = (written: string): string => written.toLowerCase().replace(/^(http:\/\/.*):80$|^(https:\/\/.*):443$/, '$1$2');

export function sizeOf(value: string | number | undefined): number | undefined {
  if (value === undefined) return undefined;
  const bytes = parseSize(value);
  if (bytes === undefined) throw invalidConfig(`"${value}" is not a size`, 'Write a number with a unit, such as 50MB.');
  return bytes;
}
