/** Up to this many bytes are written as one string in one write; encoding `latin1` preserves every byte. */
export const maxSingleWrite = 64 * 1024;

/** The last chunk and the empty trailer of a body (RFC 9112 7.1). */
export const lastChunk = '0\r\n\r\n';

/** Returns bytes as one chunk of a body; '' for no bytes, because an empty chunk would end the body. */
export const encodeChunk = (bytes: Buffer): string =>
  bytes.length === 0 ? '' : `${bytes.length.toString(16)}\r\n${bytes.toString('latin1')}\r\n`;
