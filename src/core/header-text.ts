/** A header as its client meant it: headers are read byte by byte, and most clients write UTF-8. What is none stays as it was read. */
export function fromHeader(text: string): string {
  // oxlint-disable-next-line no-control-regex -- bytes are what is looked for
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}

/** Bytes of a name in a header. */
const limit = 512;

/**
 * A name that may hold anything, as a header may hold it: percent-encoded where it is more than visible ASCII, cut where
 * it is long. Never throws: half a surrogate pair becomes the replacement character first.
 */
export function toHeader(text: string): string {
  if (text.length <= limit && /^[\x21-\x7e]*$/.test(text)) return text;
  const encoded = encodeURIComponent(text.slice(0, limit).toWellFormed());
  if (encoded.length <= limit && text.length <= limit) return encoded;
  // An escape is not cut in two.
  return `${encoded.slice(0, limit).replace(/%.?$/, '')}...`;
}
