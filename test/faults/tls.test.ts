import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { certificates } from '../support/certificates.ts';
import { chunks, completion } from '../support/upstream.ts';
import { chat, contentOf, errorOf, onA, onPair, outcomes, type Rig, type RigOptions, startRig, streamed } from './rig.ts';
import { chunked, completeResponse, forever, head, piece, tcpBelow, writeAll } from './wire.ts';

/** Faults that only TLS has. */

let rig: Rig;
afterEach(() => rig.close());

const json = 'application/json';
const completionText = JSON.stringify(completion('from a'));
const succeed = (socket: Socket): Promise<void> => writeAll(socket, completeResponse(200, json, completionText));
const configs = { again: { provider: 'a', retry: { attempts: 1 } } };
const again = { 'x-gateway-config': 'again' };
const startTls = async (fast: boolean, tls: TlsOptions = {}, options: RigOptions = {}): Promise<void> => {
  rig = await startRig({ wire: { scheme: 'https', tls }, server: { fast_path: fast }, configs, ...options });
  rig.wire.script = succeed;
};

describe.each([true, false])('with fast_path: %s', (fast) => {
  it.each<[name: string, tls: TlsOptions, attempts: number, pattern: RegExp]>([
    ['an expired certificate', certificates.expired, 1, /the certificate has expired/],
    ['a certificate of the future', certificates.notYetValid, 1, /the certificate is not valid yet/],
    ['a certificate for another host', certificates.otherHost, 1, /the certificate is for another host name/],
    ['a self-signed certificate', certificates.untrusted, 1, /the certificate is self-signed/],
    ['only TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }, 2, /supports no TLS version/],
    ['only HTTP/2', { ALPNProtocols: ['h2'] }, 2, /does not support HTTP\/1\.1/],
    ['no common cipher', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-SHA' }, 2, /rejected the TLS handshake/],
    ['TLS 1.2 with client certificates', { maxVersion: 'TLSv1.2', requestCert: true }, 2, /requires a client certificate/],
  ])('a provider with %s is not reached, for a reason in plain English', async (_name, tls, attempts, pattern) => {
    await startTls(fast, tls);
    const response = await rig.sendAndRead(chat, again);
    expect([response.status, errorOf(response.text).code, rig.wire.requests.length]).toEqual([502, 'upstream_unreachable', 0]);
    expect(errorOf(response.text).message).toMatch(pattern);
    expect(outcomes(response.record)).toEqual(Array.from({ length: attempts }, () => 'a unreachable'));
    expect((await rig.sendAndRead(chat, onPair)).text).toBe(JSON.stringify(completion('from b')));
  });

  it.each<[name: string, play: (socket: Socket) => void]>([
    ['closes', (socket) => void socket.end()],
    ['resets', (socket) => void socket.resetAndDestroy()],
    ['closes in the handshake', (socket) => void socket.once('data', () => socket.end(Buffer.from('160303007a0200', 'hex')))],
    ['resets in the handshake', (socket) => void socket.once('data', () => socket.resetAndDestroy())],
    ['sends an alert', (socket) => void socket.once('data', () => socket.end(Buffer.from('15030100020228', 'hex')))],
    ['sends plain HTTP', (socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 X\r\n\r\n'))],
    ['sends nothing', () => undefined],
  ])('a port that accepts and then %s falls back', async (_name, play) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => (sockets.push(socket.on('error', () => undefined)), play(socket)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const custom = { custom_host: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, timeouts: { connect: '300ms' } };
    rig = await startRig({
      server: { fast_path: fast },
      providers: { c: { type: 'openai', api_key: 'sk-key-of-provider-c-0123', ...custom } },
      configs: { chain: { strategy: { mode: 'fallback' }, targets: [{ provider: 'c' }, { provider: 'b' }] } },
    });
    const response = await rig.sendAndRead(chat, { 'x-gateway-config': 'chain' });
    expect(response.status).toBe(200);
    expect(outcomes(response.record)).toEqual([expect.stringMatching(/^c (?:unreachable|timeout)$/), 'b answered 200']);
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it.each([
    ['an alert', '15030300020228'],
    ['a record that does not decrypt', `1703030020${'ab'.repeat(32)}`],
    ['no TLS', Buffer.from('HTTP/1.1 200 OK\r\n\r\n').toString('hex')],
  ])('%s in the middle of a response, on a connection that stays open, ends it', async (_name, hex) => {
    await startTls(fast);
    const break_ = (socket: Socket): void => void tcpBelow(socket).write(Buffer.from(hex, 'hex'));
    rig.wire.script = async (socket) => (
      await writeAll(socket, head(200, { 'content-type': json, 'content-length': 500 }), '{"id'), break_(socket)
    );
    const whole = await rig.sendAndRead(chat, onA);
    expect([whole.status, errorOf(whole.text).code, outcomes(whole.record)]).toEqual([502, 'upstream_invalid', ['a faulty']]);
    expect(errorOf(whole.text).message).toMatch(/broke before the response was complete \(TLS error ERR_SSL_/);
    const [role = '', text = ''] = chunks('one ', 'two');
    rig.wire.script = async (socket) => (await writeAll(socket, head(200, chunked), piece(role + text)), break_(socket));
    const stream = await rig.sendAndRead(streamed, onA);
    expect([stream.status, contentOf(stream.events), errorOf(stream.events.at(-1) ?? '').code]).toEqual([
      200,
      'one ',
      'stream_interrupted',
    ]);
    rig.wire.script = async (socket) => (break_(socket), forever);
    const none = await rig.sendAndRead(chat, onPair);
    expect(outcomes(none.record)).toEqual(['a unreachable', 'b answered 200']);
  });

  it('a renegotiation in the middle of a response is accepted', async () => {
    await startTls(fast, { maxVersion: 'TLSv1.2' });
    rig.wire.script = async (socket) => {
      await writeAll(socket, head(200, { 'content-type': json, 'content-length': completionText.length }), completionText.slice(0, 9));
      await new Promise<void>((resolve) => (socket as TLSSocket).renegotiate({}, () => resolve()));
      await writeAll(socket, completionText.slice(9));
    };
    expect((await rig.sendAndRead(chat, onA)).text).toBe(completionText);
  });

  it('a connection to an address sends no server name, and uses HTTP/1.1', async () => {
    await startTls(fast, { ALPNProtocols: ['h2', 'http/1.1'] });
    const seen: unknown[] = [];
    rig.wire.script = (socket) => {
      const { servername, alpnProtocol } = socket as TLSSocket;
      seen.push(servername, alpnProtocol);
      return succeed(socket);
    };
    await rig.sendAndRead(chat, onA);
    expect(seen).toEqual([false, 'http/1.1']);
  });

  it('a certificate that expires spoils new connections, and keep-alive connections serve on', async () => {
    await startTls(fast, { maxVersion: 'TLSv1.2' });
    expect((await rig.sendAndRead(chat, onA)).status).toBe(200);
    rig.wire.useCertificate(certificates.expired);
    expect((await rig.sendAndRead(chat, onA)).status).toBe(200);
    await rig.forgetConnections();
    expect(errorOf((await rig.sendAndRead(chat, onA)).text).message).toMatch(/the certificate has expired/);
    rig.wire.useCertificate(certificates.good);
    expect((await rig.sendAndRead(chat, onA)).status).toBe(200);
  });
});

it('a record that does not decrypt ends a WebSocket whose connection stays open', async () => {
  await startTls(true);
  rig.wire.script = async (socket, request) => {
    const key = /^sec-websocket-key: (.*)$/im.exec(request.head)?.[1] ?? '';
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    await writeAll(socket, head(101, { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-accept': accept }));
    tcpBelow(socket).write(Buffer.from(`1703030020${'ab'.repeat(32)}`, 'hex'));
    return forever;
  };
  const client = new WebSocket(`${rig.gateway.url.replace('http', 'ws')}/v1/realtime?model=m`, { headers: onA });
  client.on('error', () => undefined);
  const [code] = (await once(client, 'close')) as [number];
  expect([1001, 1006]).toContain(code);
});
