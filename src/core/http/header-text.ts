import type { HeaderBag, RequestHeader } from './headers.ts';

/** A header name, and a value as clients can send it: without line breaks and other control characters. As patterns. */
export const headerNamePattern = "[\\w!#$%&'*+.^`|~\\-]+";
export const headerValuePattern = '[\\t -~\\u0080-\\u{10ffff}]*';

/** Decodes a header value as UTF-8: Node reads headers byte by byte, and most clients send UTF-8. Other values are returned unchanged. */
export function fromHeader(text: string): string {
  // oxlint-disable-next-line no-control-regex -- bytes are what is looked for
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) {
    const byte = text.charCodeAt(i);
    if (byte > 0xff) return text;
    bytes[i] = byte;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return text;
  }
}

/** A gateway header as the text that the client wrote; '' if it is missing. */
export function gatewayText(headers: Pick<HeaderBag, 'gateway'>, header: RequestHeader): string {
  const value = headers.gateway(header);
  return value === undefined ? '' : fromHeader(value);
}

/** Maximum length of a name in a header, in bytes. */
const longestName = 512;

/**
 * Encodes an arbitrary name for a header: percent-encoded if it contains anything but visible ASCII, and truncated
 * after `limit` bytes. Never throws: lone surrogates are replaced first.
 */
export function toHeader(text: string, limit = longestName): string {
  if (text.length <= limit && /^[\x21-\x7e]*$/.test(text)) return text;
  const encoded = encodeURIComponent(text.slice(0, limit).toWellFormed());
  if (encoded.length <= limit && text.length <= limit) return encoded;
  // An escape is not cut in two.
  return `${encoded.slice(0, limit).replace(/%.?$/, '')}...`;
}

/** Maximum length of a list in one header, in bytes: clients reject responses whose headers exceed 16 KB in total. */
const longestList = 1024;

/** Bytes reserved for the count of omitted items. */
const countReserve = '... and 1000000 more'.length;

/**
 * Writes a list as one header of at most 1 KB. If it is cut between two items, the last one is the number of omitted
 * ones.
 *
 * @param write writes an item as ASCII
 * @param maxItems maximum number of items
 */
export function headerList<T>(items: readonly T[], write: (item: T) => string, separator: ', ' | '; ', maxItems: number): string {
  let list = '';
  for (let written = 0; written < items.length; written += 1) {
    const remaining = items.length - written;
    const item = written < maxItems ? write(items[written] as T) : '';
    const next = list === '' ? item : list + separator + item;
    const end = remaining === 1 ? 0 : separator.length + countReserve;
    if (written >= maxItems || next.length + end > longestList) {
      const count = `... and ${remaining} more`;
      return list === '' ? count : list + separator + count;
    }
    list = next;
  }
  return list;
}
