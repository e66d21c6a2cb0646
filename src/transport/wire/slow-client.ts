/** Timeout for a client that does not read its response, in milliseconds. Long, because it occupies only a connection. */
export const slowClientMs = 10 * 60_000;
