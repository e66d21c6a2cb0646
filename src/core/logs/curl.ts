import { fromHeader } from '../http/header-text.ts';
import { canonicalPrefix } from '../http/headers.ts';
import type { LogRecord } from '../records/record.ts';
import { hiddenValue, masked } from '../secrets/credential-names.ts';
import { decodeText } from './decode-text.ts';

/** Headers that curl or the gateway adds itself. */
const omittedHeaders = /^(?:host|content-length|connection|accept-encoding|transfer-encoding|expect|keep-alive|x-request-id|traceparent)$/i;

/** Headers in which clients of the provider APIs send a gateway key. */
const keyHeader = /^(?:authorization|(?:x-)?api-key|x-goog-api-key)$/i;

interface Addressed {
  readonly url: string;
  readonly headerPrefixes: readonly string[];
}

/** Quotes one argument for a POSIX shell, with single quotes. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** One argument as a person would type it: quoted only if it must be. */
export const shellWord = (text: string): string => (/^[\w./-]+$/.test(text) ? text : shellQuote(text));

/**
 * Returns a curl command that repeats a recorded request. Masked values become shell variables.
 *
 * @param gateway base URL, without a path, and the prefixes of its headers
 * @param body undefined if it is not stored. A body that is missing, truncated or not text is replaced by a file
 * argument, because sending a different body would be wrong
 */
export function curlOf(record: LogRecord, gateway: Addressed, body: Uint8Array | undefined): string {
  const { body: info } = record.request;
  const hadBody = info !== null || record.bytes.in > 0;
  const text = body === undefined || (info !== null && info.kept < info.size) ? undefined : decodeText(body);
  const parts = [`curl ${shellQuote(gateway.url + record.path)}`];
  // With -X HEAD, curl would wait for a body.
  if (record.method === 'HEAD') parts.push('-I');
  else if (record.method !== 'POST' || !hadBody) parts.push(`-X ${record.method}`);
  const ownKeyHeaders = [canonicalPrefix, ...gateway.headerPrefixes].map((prefix) => `${prefix}api-key`);
  for (const [name, value] of Object.entries(record.request.headers)) {
    const isKey = keyHeader.test(name) || ownKeyHeaders.includes(name.toLowerCase());
    if (!omittedHeaders.test(name) && (value !== hiddenValue || isKey)) parts.push(`-H ${headerOf(name, value, isKey)}`);
  }
  // Arguments cannot contain NUL.
  if (text !== undefined && !text.includes('\0')) parts.push(`--data-raw ${shellQuote(text)}`);
  else if (hadBody) parts.push('--data-binary @body');
  return parts.join(' \\\n  ');
}

/** Masked parts are put in double quotes, so that the shell expands the variable. */
function headerOf(name: string, value: string, isKey: boolean): string {
  const variable = isKey ? 'GATEWAY_API_KEY' : name.toUpperCase().replaceAll(/\W/g, '_');
  if (isKey && (value === masked || value === hiddenValue))
    return `"${name}: ${/^authorization$/i.test(name) ? 'Bearer ' : ''}$${variable}"`;
  // Shells use UTF-8.
  return `${name}: ${fromHeader(value)}`
    .split(masked)
    .map(shellQuote)
    .join(`"$${variable}"`)
    .replace(/(?<=")''$/, '');
}
