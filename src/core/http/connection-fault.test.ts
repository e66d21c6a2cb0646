import { describe, expect, it } from 'vitest';
import { connectionFault, isPermanentFault, gatewayFaultHint } from './connection-fault.ts';

const descriptions: readonly [code: string | undefined, word: string][] = [
  ['ECONNREFUSED', 'connection refused'],
  ['UND_ERR_SOCKET', 'connection closed'],
  ['UND_ERR_INFO', 'connection failed'],
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the port does not use TLS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is self-signed'],
  ['EMFILE', 'the gateway has too many open files'],
  ['EADDRNOTAVAIL', 'the gateway has no free port for the connection'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'it supports no TLS version of the gateway'],
  ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'it does not support HTTP/1.1'],
  ['ERR_SSL_BAD_RECORD_TYPE', 'TLS error ERR_SSL_BAD_RECORD_TYPE'],
  ['HPE_INVALID_CONSTANT', 'not valid HTTP'],
  ['CERT_REVOKED', 'CERT_REVOKED'],
  [undefined, 'connection failed'],
];

describe('connectionFault', () => {
  it.each(descriptions)('describes %s as "%s"', (code, description) => {
    expect(connectionFault(Object.assign(new Error('connect 10.0.0.1:443'), { code }))).toBe(description);
  });
});

it.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', true],
  ['CERT_HAS_EXPIRED', true],
  ['ERR_TLS_CERT_ALTNAME_INVALID', true],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', true],
  ['ERR_SSL_WRONG_VERSION_NUMBER', true],
  ['ECONNREFUSED', false],
  ['ENOTFOUND', false],
  ['UND_ERR_SOCKET', false],
  [undefined, false],
])('isPermanentFault returns whether a retry after %s fails too: %s', (code, isPermanent) => {
  expect(isPermanentFault(Object.assign(new Error('x'), { code }))).toBe(isPermanent);
});

it.each([
  ['EMFILE', /ulimit -n/],
  ['ENFILE', /fs\.file-max/],
  ['EADDRNOTAVAIL', /ip_local_port_range/],
  ['ECONNREFUSED', /^undefined$/],
])('gatewayFaultHint names the system limit to raise for %s', (code, hint) => {
  expect(String(gatewayFaultHint(Object.assign(new Error('x'), { code })))).toMatch(hint);
});
