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
