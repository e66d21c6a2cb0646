import type { IncomingHttpHeaders } from 'node:http';
import { endsWithTab, trimBlanks } from '../../wire/field-text.ts';

/** Length of a body in bytes, or chunked coding (RFC 9112 7.1). */
export type BodyLength = number | 'chunked';

/** The head of a request that every parser reads the same way. */
export interface PlainHead {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  /** By lower-case name; no name occurs twice. */
  readonly headers: IncomingHttpHeaders;
  /** Name, value, name, value, … as sent. */
  readonly rawHeaders: readonly string[];
  readonly length: BodyLength;
  /** The client wants the connection to close after the response. */
  readonly isLast: boolean;
}

/** Maximum size of a head parsed here, including the empty line, in bytes. */
export const maxPlainHead = 16 * 1024;
const maxHeaders = 64;

/** Character classes: permitted in a name (RFC 9110 5.6.2), and in a value that every parser reads the same way. */
const inName = 1;
const inValue = 2;
const kinds = new Uint8Array(256);
for (let code = 0x20; code < 0x7f; code += 1) kinds[code] = inValue;
kinds[0x09] = inValue;
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
  kinds[character.charCodeAt(0)] = inName | inValue;

/** Methods of the routes handled here, and a target that no server resolves, folds or truncates. */
const requestLine = /^(POST|GET|DELETE) (\/[\w.~!$&'()*+,;=:@%/?-]*) HTTP\/1\.1$/;
const hostForm = /^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/;
const lengthForm = /^(?:0|[1-9]\d{0,14})$/;

/** Headers that change the meaning or the recipient of a request; `__proto__` is not a safe property name. */
const unsupportedHeaders: ReadonlySet<string> = new Set([
  'expect',
  'upgrade',
  'http2-settings',
  'proxy-connection',
  'trailer',
  '__proto__',
]);

/**
 * Parses the head that ends with the empty line before `end`. Returns undefined for any request that is not plain: in
 * doubt, `node:http` parses it.
 *
 * @param text one character per byte
 * @param end start of the body
 */
export function readPlainHead(text: string, end: number): PlainHead | undefined {
  const firstLine = text.indexOf('\r\n');
  const match = requestLine.exec(text.slice(0, firstLine));
  const [, method, url] = match ?? [];
  if (method === undefined || url === undefined) return undefined;
  const fields = readFields(text, firstLine + 2, end - 2);
  if (fields === undefined) return undefined;
  const { headers } = fields;
  const { host, connection } = headers;
  if (host === undefined || !hostForm.test(host)) return undefined;
  const isLast = connection !== undefined && connection.toLowerCase() === 'close';
  if (connection !== undefined && !isLast && connection.toLowerCase() !== 'keep-alive') return undefined;
  const length = lengthOf(headers);
  return length === undefined ? undefined : { method, url, headers, rawHeaders: fields.raw, length, isLast };
}

/** Returns undefined if the length is not given in exactly one plain way. */
function lengthOf(headers: IncomingHttpHeaders): BodyLength | undefined {
  const length = headers['content-length'];
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) return length === undefined && coding.toLowerCase() === 'chunked' ? 'chunked' : undefined;
  if (length === undefined) return 0;
  return lengthForm.test(length) ? Number(length) : undefined;
}

interface HeaderFields {
  readonly headers: IncomingHttpHeaders;
  readonly raw: string[];
}

/** Parses the header lines from `at` to `end`; returns undefined if one of them is not plain. */
function readFields(text: string, at: number, end: number): HeaderFields | undefined {
  const headers = Object.create(null) as IncomingHttpHeaders;
  const raw: string[] = [];
  let from = at;
  while (from < end) {
    const colon = endOf(text, from, end, inName);
    if (colon === from || text.charCodeAt(colon) !== 0x3a) return undefined;
    const lineEnd = endOf(text, colon + 1, end, inValue);
    if (text.charCodeAt(lineEnd) !== 0x0d || text.charCodeAt(lineEnd + 1) !== 0x0a || lineEnd + 2 > end) return undefined;
    // Node reads a tab behind `chunked` as a part of the coding.
    if (endsWithTab(text, lineEnd)) return undefined;
    const name = text.slice(from, colon);
    const key = name.toLowerCase();
    if (unsupportedHeaders.has(key) || headers[key] !== undefined || raw.length >= maxHeaders * 2) return undefined;
    const value = trimBlanks(text, colon + 1, lineEnd);
    headers[key] = value;
    raw.push(name, value);
    from = lineEnd + 2;
  }
  return { headers, raw };
}

/** Returns the first position from `at` on whose character is not of this kind. */
function endOf(text: string, at: number, end: number, kind: number): number {
  let to = at;
  while (to < end && ((kinds[text.charCodeAt(to)] ?? 0) & kind) !== 0) to += 1;
  return to;
}

/** True for an incomplete head that is plain so far and has a complete first line. */
export function mayBecomePlain(text: string): boolean {
  const firstLine = text.indexOf('\r\n');
  if (firstLine < 0 || !requestLine.test(text.slice(0, firstLine))) return false;
  const whole = text.lastIndexOf('\r\n') + 2;
  return readFields(text, firstLine + 2, whole) !== undefined && lineBegins.test(text.slice(whole));
}

/** Syntax of an incomplete header line. */
const lineBegins = /^(?:\r|[\w!#$%&'*+.^`|~-]*|[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e]*\r?)$/;
