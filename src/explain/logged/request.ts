import { GatewayError } from '../../core/error.ts';
import { canonicalPrefix, hopByHopHeaders } from '../../core/http/headers.ts';
import type { ExplainRequest } from '../../core/logs/explanation.ts';
import type { StoredRecord } from '../../core/logs/reader.ts';
import { isCredentialHeader, masked } from '../../core/secrets/credential-names.ts';
import { type HeaderNames, isOneOf } from '../../transport/inbound/header-bag.ts';
import type { LoggedBody } from './bodies.ts';

/** Headers that belong to one connection, one body or one request, and so are not repeated. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-encoding',
  'expect',
  'accept-encoding',
  'origin',
  'referer',
  'idempotency-key',
]);

/** Headers of a recorded request that a new one may repeat. Credentials are masked in the record and not sent again, nor are values that it has cut. */
function replayHeaders({ record }: StoredRecord, names: HeaderNames): Readonly<Record<string, string>> {
  const kept = Object.entries(record.request.headers).filter(
    ([name, value]) =>
      !connectionHeaders.has(name) &&
      !hopByHopHeaders.has(name) &&
      !isCredentialHeader(name) &&
      !isOneOf(names, ['apiKey', 'debug'], name) &&
      !value.includes(masked) &&
      !isTruncated(value),
  );
  if (kept.length > 0) return Object.fromEntries(kept);
  // The policy stores no headers, but the record has the facts that chose the route.
  return {
    ...(record.config === null || record.config === 'inline' ? {} : { [`${canonicalPrefix}config`]: record.config }),
    ...(Object.keys(record.metadata).length === 0 ? {} : { [`${canonicalPrefix}metadata`]: JSON.stringify(record.metadata) }),
    ...(record.virtual_key === null ? {} : { [`${canonicalPrefix}virtual-key`]: record.virtual_key }),
  };
}

/** What the record lacks of the headers that affect routing, as the rest of a sentence. */
function missingRoutingHeader({ record }: StoredRecord, names: HeaderNames): string | undefined {
  const headers = Object.entries(record.request.headers);
  const lost = headers.find(([name, value]) => isOneOf(names, routingHeaders, name) && (value.includes(masked) || isTruncated(value)));
  if (lost !== undefined) return `its header ${lost[0]} is not stored completely`;
  // The log stores a limited number of headers.
  const wasSent = record.config === 'inline' && record.target?.startsWith('configs.') !== true;
  return wasSent && !headers.some(([name]) => isOneOf(names, ['config'], name)) ? 'the config that it sent is not stored' : undefined;
}

/** A masked value, or a masked name, as a kind in brackets. In `metadata[team]=x`, the brackets are part of the client's name. */
const maskedPair = /^[^=]*=.*?\[[a-z_]+\]|^\[[a-z_]+\]/;

/** The path without masked query parameters. */
function replayPath(path: string): string {
  const mark = path.indexOf('?');
  if (mark < 0) return path;
  const plain = path.slice(0, mark);
  const kept = path
    .slice(mark + 1)
    .split('&')
    .filter((pair) => !pair.includes(masked) && !maskedPair.test(pair));
  return kept.length === 0 ? plain : `${plain}?${kept.join('&')}`;
}

const routingHeaders = ['config', 'provider', 'virtualKey', 'metadata', 'customHost', 'forwardHeaders'] as const;

/** True for a value that the record has truncated, which is marked by `…`. */
const isTruncated = (value: string): boolean => value.endsWith('…');

/**
 * A recorded request as input for a replay, with the same random number.
 *
 * @throws GatewayError `record_not_found` when its body is not stored
 */
export function replayRequest(stored: StoredRecord, body: LoggedBody, names: HeaderNames): ExplainRequest {
  const { record } = stored;
  const lost = missingRoutingHeader(stored, names);
  if (lost !== undefined) {
    throw new GatewayError('record_not_found', {
      message: `The request "${record.id}" cannot be sent again: ${lost}.`,
      hint: 'The log cuts long headers and masks credentials in them. Define the config in gateway.yaml instead of sending it.',
    });
  }
  if (isTruncated(record.path)) {
    throw new GatewayError('record_not_found', {
      message: `The request "${record.id}" cannot be sent again: its query is not stored completely.`,
      hint: 'The log stores at most 512 characters of a path and its query.',
    });
  }
  const hasBody = record.request.body !== null || record.method === 'POST';
  if (hasBody && !('text' in body)) {
    throw new GatewayError('record_not_found', {
      message: `The request "${record.id}" cannot be sent again: ${body.why}.`,
      hint:
        !record.admitted || record.bodies === 'redacted' || record.bodies === 'full'
          ? 'Send it again from its client.'
          : 'To store bodies from now on, set logging.requests.bodies: redacted.',
    });
  }
  return {
    method: record.method,
    path: replayPath(record.path),
    headers: replayHeaders(stored, names),
    ...('text' in body ? { body: body.text } : {}),
    ...(record.key === null ? {} : { recorded_key: record.key }),
    random: record.random,
  };
}
