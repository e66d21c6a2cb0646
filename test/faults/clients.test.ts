import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/gateway.ts';
import { chunks } from '../support/upstream.ts';
import { chat, onA, onPair, outcomes, type Rig, startRig, streamed } from './rig.ts';
import { chunked, drained, forever, head, piece, writeAll, completeResponse } from './wire.ts';
import { turns } from '../support/time.ts';

/** Clients that disconnect: all work for them stops at once. */

const [role = '', text = ''] = chunks('one ');

describe('a client that disconnects', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ configs: { patient: { provider: 'a', retry: { attempts: 5, use_retry_after_header: true } } } });
  });
  afterEach(() => rig.expectQuiet());
  afterAll(() => rig.close());

  /** Sends a request, disconnects at the given time and returns the record. */
  async function disconnectWhen(
    body: object,
    headers: Readonly<Record<string, string>>,
    when: (response: Promise<Response>) => Promise<unknown>,
  ) {
    const before = rig.gateway.records.length;
    const controller = new AbortController();
    const response = rig.send({ ...body }, headers, controller.signal);
    response.catch(() => undefined);
    await when(response);
    controller.abort();
    return until(() => rig.gateway.records[before], 'the record of a client that left');
  }

  const sendRequest = async (): Promise<void> => {
    const before = rig.wire.requests.length;
    await until(() => rig.wire.requests.length > before || rig.wire.busy() > 0, 'the request upstream');
  };

  it.each([
    ['a complete response', chat, () => forever],
    ['a stream', streamed, () => forever],
    [
      'a stream without content so far',
      streamed,
      (socket: import('node:net').Socket) => writeAll(socket, head(200, chunked), piece(role)).then(() => forever),
    ],
  ] as const)('before the response head of %s cancels the upstream request', async (_name, body, play) => {
    rig.wire.script = play;
    const record = await disconnectWhen(body, onPair, sendRequest);
    expect(record).toMatchObject({ end: 'client_gone', status: 499, error: null });
    expect(outcomes(record)).toEqual(['a cancelled']);
    await until(() => rig.wire.sockets.size === 0 || rig.wire.busy() === 0, 'the upstream connection to be closed');
  });

  it('during a stream cancels the upstream request', async () => {
    rig.wire.script = (socket) => writeAll(socket, head(200, chunked), piece(role), piece(text)).then(() => forever);
    const record = await disconnectWhen(streamed, onPair, async (response) => (await response).body?.getReader().read());
    expect(record).toMatchObject({ end: 'client_gone', status: 200, error: null });
    expect(record.bytes.out).toBe(Buffer.byteLength(role + text));
    expect(outcomes(record)).toEqual(['a answered 200']);
  });

  it('during the wait before a retry gets no further attempt', async () => {
    rig.wire.script = (socket) =>
      writeAll(socket, completeResponse(429, 'application/json', '{"error":{"message":"slow down"}}', { 'retry-after': 20 }));
    const before = rig.wire.requests.length;
    const record = await disconnectWhen(chat, { 'x-gateway-config': 'patient' }, async () => {
      await until(() => rig.wire.requests.length > before && rig.wire.busy() === 0, 'the first answer');
      await turns();
    });
    expect(record).toMatchObject({ end: 'client_gone', status: 499 });
    expect([outcomes(record), rig.wire.requests.length - before]).toEqual([['a answered 429'], 1]);
  });

  it('while it sends its body causes no upstream request', async () => {
    const before = rig.wire.requests.length;
    const { hostname, port } = new URL(rig.gateway.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nx-gateway-provider: @a\r\ncontent-length: 1000\r\n\r\n{"model":`,
    );
    await turns();
    const recorded = rig.gateway.records.length;
    socket.destroy();
    const record = await until(() => rig.gateway.records[recorded], 'the record of a client that left');
    expect(record).toMatchObject({ end: 'client_gone', status: 499, error: null, attempts: [], endpoint: 'chat/completions' });
    expect(record.request).toMatchObject({ body: null, why_absent: 'it was not read completely, or was not valid' });
    await rig.expectQuiet();
    expect(rig.gateway.records.slice(recorded).filter(({ end }) => end === 'client_gone')).toEqual([record]);
    expect(rig.wire.requests.length).toBe(before);
  });

  it('in the middle of a response leaves nothing behind', async () => {
    const block = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(60_000) } }] })}\n\n`;
    rig.wire.script = async (socket) => {
      await writeAll(socket, head(200, { 'content-type': 'text/event-stream', connection: 'close' }));
      while (!socket.destroyed) if (!socket.write(block)) await drained(socket);
    };
    const record = await disconnectWhen(streamed, onA, async (response) => {
      await response;
      await turns(100);
    });
    expect(record).toMatchObject({ end: 'client_gone', status: 200 });
  });
});
