import { errorCode } from '../text/error-code.ts';
import { lowerFirst, withoutFullStop } from '../text/wording.ts';

/**
 * Returns a short description of a socket error by its code. The message is never used, because it may contain an
 * internal address. Codes of the HTTP client library are not shown, because they mean nothing to a caller.
 */
export function connectionFault(error: Error): string {
  const code = errorCode(error);
  const description = descriptions.get(code);
  if (description !== undefined) return description;
  // Errors of Node's parser, and of undici's, which have no code.
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'not valid HTTP';
  if (code.startsWith('ERR_SSL_')) return `TLS error ${code}`;
  return code === '' || code.startsWith('UND_ERR_') ? 'connection failed' : code;
}

/** The description of a fault of a proxy; undefined for all others. */
export const proxyFault = (error: Error): string | undefined =>
  errorCode(error).startsWith('PROXY_') ? descriptions.get(errorCode(error)) : undefined;

const handshakeFailure = 'it rejected the TLS handshake, or requires a client certificate, which the gateway does not send';

const descriptions: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['EPIPE', 'connection closed'],
  ['UND_ERR_SOCKET', 'connection closed'],
  ['UPSTREAM_CLOSED', 'connection closed'],
  ['UPSTREAM_INVALID', 'not valid HTTP'],
  ['UPSTREAM_LENGTH', 'body length differs from content-length'],
  ['UPSTREAM_HEAD_TOO_LARGE', 'too many headers'],
  ['PROXY_UNREACHABLE', 'no connection to the proxy'],
  ['PROXY_AUTH', 'the proxy requires a valid user name and password'],
  ['PROXY_REFUSED', 'the proxy refused the connection'],
  ['PROXY_FAILED', 'the proxy could not connect to it'],
  ['PROXY_INVALID', 'the proxy sent no valid response'],
  ['UND_ERR_HEADERS_OVERFLOW', 'too many headers'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'body length differs from content-length'],
  ['ETIMEDOUT', 'connection timed out'],
  ['ENOTFOUND', 'the name does not resolve'],
  ['EAI_AGAIN', 'name resolution failed'],
  ['EHOSTUNREACH', 'no route to the host'],
  ['ENETUNREACH', 'no route to the host'],
  ['EADDRNOTAVAIL', 'the gateway has no free port for the connection'],
  ['EMFILE', 'the gateway has too many open files'],
  ['ENFILE', 'the machine of the gateway has too many open files'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the port does not use TLS'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'it supports no TLS version of the gateway'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'it supports no TLS version of the gateway'],
  ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'it does not support HTTP/1.1'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'it requires a client certificate, which the gateway does not send'],
  ['ERR_SSL_TLSV1_UNRECOGNIZED_NAME', 'it does not serve this host name'],
  // One alert, named differently by versions of OpenSSL.
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', handshakeFailure],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', handshakeFailure],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet'],
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate authority is not trusted'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'the certificate authority is not trusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the certificate authority is not trusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate authority is not trusted'],
]);

/** Codes of Node and OpenSSL for a certificate that is not accepted, and for a port that does not use TLS. */
const certificateCode = /^(?:ERR_TLS_CERT|ERR_SSL_WRONG_VERSION|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_|HOSTNAME_)/;

/** True for a connection error that recurs until an address or a certificate is changed. */
export const isPermanentFault = (error: Error): boolean => certificateCode.test(errorCode(error));

/** What to do about a connection error that the gateway itself or its machine causes; undefined for all others. */
export const gatewayFaultHint = (error: Error): string | undefined => gatewayFaultHints.get(errorCode(error));

/** The same as part of a line of a command. */
export function gatewayFaultFix(error: unknown): string | undefined {
  const hint = error instanceof Error ? gatewayFaultHint(error) : undefined;
  return hint === undefined ? undefined : lowerFirst(withoutFullStop(hint));
}

const proxyHint = 'Check server.egress.proxy, or list the host in server.egress.no_proxy if it is reached directly.';

const gatewayFaultHints: ReadonlyMap<string, string> = new Map([
  ['PROXY_UNREACHABLE', proxyHint],
  ['PROXY_AUTH', 'Write the credential as http://user:password@host:port in server.egress.proxy.'],
  ['PROXY_REFUSED', proxyHint],
  ['PROXY_INVALID', proxyHint],
  ['EADDRNOTAVAIL', 'Widen the range of local ports (net.ipv4.ip_local_port_range) on the machine of the gateway.'],
  ['EMFILE', 'Raise the limit of open files of the gateway (ulimit -n, LimitNOFILE of systemd), or lower server.max_connections.'],
  ['ENFILE', 'Raise the limit of open files (fs.file-max) on the machine of the gateway.'],
]);
