/** Returns the code of a system or library error (`ENOENT`); '' if it has none. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return '';
  return error.code === 'EPROTO' ? tlsCode(error.message) : error.code;
}

/** If a TLS connection fails while data is written, Node reports EPROTO, and the cause only in the message of OpenSSL. */
function tlsCode(message: string): string {
  const reason = /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1];
  return reason === undefined ? 'EPROTO' : `ERR_SSL_${reason.trim().toUpperCase().replaceAll(' ', '_')}`;
}
