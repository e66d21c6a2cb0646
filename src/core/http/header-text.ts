/** A header as its client meant it: headers are read byte by byte, and most clients write UTF-8. What is none stays as it was read. */
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

/** Bytes of a name in a header. */
const longestName = 512;

/**
 * A name that may hold anything, as a header may hold it: percent-encoded where it is more than visible ASCII, cut where
 * it is longer than `limit` bytes. Never throws: half a surrogate pair becomes the replacement character first.
 */
export function toHeader(text: string, limit = longestName): string {
  if (text.length <= limit && /^[\x21-\x7e]*$/.test(text)) return text;
  const encoded = encodeURIComponent(text.slice(0, limit).toWellFormed());
  if (encoded.length <= limit && text.length <= limit) return encoded;
  // An escape is not cut in two.
  return `${encoded.slice(0, limit).replace(/%.?$/, '')}...`;
}

/** Bytes of a list in one header: clients refuse answers whose headers are larger than 16 KB together. */
const longestList = 1024;

/** Bytes for the count of what is left out. */
const forCount = '... and 1000000 more'.length;

/**
 * A list as one header of at most 1 KB, cut between two items: the last one then counts what is left out.
 *
 * @param write an item as ASCII
 * @param most items that are written at most
 */
export function headerList<T>(items: readonly T[], write: (item: T) => string, separator: ', ' | '; ', most: number): string {
  let list = '';
  for (let written = 0; written < items.length; written += 1) {
    const left = items.length - written;
    const item = written < most ? write(items[written] as T) : '';
    const next = list === '' ? item : list + separator + item;
    const end = left === 1 ? 0 : separator.length + forCount;
    if (written >= most || next.length + end > longestList) {
      const count = `... and ${left} more`;
      return list === '' ? count : list + separator + count;
    }
    list = next;
  }
  return list;
}
