/** Up to this many bytes leave as one string in one write; `latin1` leaves every byte as it is. */
export const oneWrite = 64 * 1024;

/** Behind the last chunk of a body (RFC 9112 7.1). */
export const endOfFrames = '0\r\n\r\n';

/** Bytes as one chunk of a body; '' for none: an empty chunk would be the end. */
export const frame = (bytes: Buffer): string =>
  bytes.length === 0 ? '' : `${bytes.length.toString(16)}\r\n${bytes.toString('latin1')}\r\n`;
