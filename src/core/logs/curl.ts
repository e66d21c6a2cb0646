import { fromHeader } from '../http/header-text.ts';
import type { LogRecord } from '../records/record.ts';
import { masked } from '../secrets/credential-names.ts';
import { keptText } from './kept-text.ts';

/** Headers that curl or the gateway writes by itself. */
const left = /^(?:host|content-length|connection|accept-encoding|transfer-encoding|expect|keep-alive|x-request-id|traceparent)$/i;

/** Headers in which clients send a key of the gateway. */
const keyHeader = /^(?:authorization|(?:x-)?api-key|x-goog-api-key|x-(?:gateway|portkey)-api-key)$/i;

/** In place of a value that a viewer does not see. */
const unseen = '•••';

/** One argument of a POSIX shell, in single quotes. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * A recorded request as its client sent it, for a shell: what was masked is a variable.
 *
 * @param gateway its URL, without a path
 * @param body undefined: it is not kept. One that is cut, or no text, is named as a file as well: another would be sent
 */
export function curlOf(record: LogRecord, gateway: string, body: Uint8Array | undefined): string {
  const { body: info } = record.request;
  const hadBody = info !== null || record.bytes.in > 0;
  const text = body === undefined || (info !== null && info.kept < info.size) ? undefined : keptText(body);
  const parts = [`curl ${shellQuoted(gateway + record.path)}`];
  // With -X HEAD, curl waits for a body.
  if (record.method === 'HEAD') parts.push('-I');
  else if (record.method !== 'POST' || !hadBody) parts.push(`-X ${record.method}`);
  for (const [name, value] of Object.entries(record.request.headers)) {
    const isKey = keyHeader.test(name);
    if (!left.test(name) && (value !== unseen || isKey)) parts.push(`-H ${headerOf(name, value, isKey)}`);
  }
  // No argument has a NUL.
  if (text !== undefined && !text.includes('\0')) parts.push(`--data-raw ${shellQuoted(text)}`);
  else if (hadBody) parts.push('--data-binary @body');
  return parts.join(' \\\n  ');
}

/** A part that was masked is between double quotes: the shell fills it in. */
function headerOf(name: string, value: string, isKey: boolean): string {
  const variable = isKey ? 'GATEWAY_API_KEY' : name.toUpperCase().replaceAll(/\W/g, '_');
  if (isKey && (value === masked || value === unseen)) return `"${name}: ${/^authorization$/i.test(name) ? 'Bearer ' : ''}$${variable}"`;
  // A shell writes UTF-8.
  return `${name}: ${fromHeader(value)}`
    .split(masked)
    .map(shellQuoted)
    .join(`"$${variable}"`)
    .replace(/(?<=")''$/, '');
}
