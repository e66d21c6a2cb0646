import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chunks } from '../support/upstream.ts';
import { type Blackhole, startBlackhole } from './blackhole.ts';
import { chat, contentOf, errorOf, outcomes, type Rig, startRig, streamed } from './rig.ts';
import { chunked, completeResponse, forever, head, piece, writeAll } from './wire.ts';

/** Providers that stop sending: each timeout of an attempt applies. */

const [role = '', text = ''] = chunks('one ');
/** Only one timeout is short: on a busy machine it is undefined which of two short ones expires first. */
const largeBody = 24 * 1024 * 1024;
const clocks = { connect: '300ms', first_byte: '400ms', idle: '500ms', total: '1500ms' };
type Clock = keyof typeof clocks;
const timeoutsWith = (clock: Clock): object => ({ connect: '60s', first_byte: '60s', idle: '60s', total: '90s', [clock]: clocks[clock] });
const at = (clock: Clock): Readonly<Record<string, string>> => ({ 'x-gateway-provider': `@${clock}` });
const pairAt = (clock: Clock): Readonly<Record<string, string>> => ({ 'x-gateway-config': `pair_${clock}` });

/** Writes the same bytes until the peer closes the connection. */
async function repeat(socket: Socket, bytes: Buffer): Promise<void> {
  while (!socket.destroyed) {
    await writeAll(socket, bytes);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

interface Silence {
  readonly name: string;
  play(socket: Socket): Promise<void> | void;
  readonly body: object;
  /** The timeout that expires. */
  readonly clock?: Clock;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message: RegExp;
  /** What the hint names. Default: the timeout. */
  readonly setting?: string;
}

const responseHead = head(200, { 'content-type': 'application/json', 'content-length': 100 });
const silences: readonly Silence[] = [
  {
    name: 'no bytes, streamed',
    play: () => forever,
    body: streamed,
    clock: 'first_byte',
    message: /did not begin its stream within 400 ms/,
  },
  {
    name: 'only a head, streamed',
    play: (socket) => writeAll(socket, head(200, chunked)).then(() => forever),
    body: streamed,
    clock: 'first_byte',
    message: /did not begin its stream within 400 ms/,
  },
  {
    name: 'events without content',
    play: (socket) => writeAll(socket, head(200, chunked), piece(role)).then(() => forever),
    body: streamed,
    clock: 'idle',
    message: /sent no event within 500 ms/,
  },
  {
    name: 'comments after events without content',
    play: async (socket) => (await writeAll(socket, head(200, chunked), piece(role)), await repeat(socket, piece(': ping\n\n'))),
    body: streamed,
    clock: 'idle',
    message: /sent no event within 500 ms/,
  },
  {
    name: 'no bytes, not streamed',
    play: () => forever,
    body: chat,
    clock: 'first_byte',
    message: /did not begin its response within 400 ms/,
  },
  {
    name: 'only informational responses',
    play: (socket) => repeat(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')),
    body: chat,
    clock: 'first_byte',
    message: /did not begin its response within 400 ms/,
  },
  {
    name: 'only a head, not streamed',
    play: (socket) => writeAll(socket, responseHead).then(() => forever),
    body: chat,
    clock: 'idle',
    message: /sent no further part of its response within 500 ms/,
  },
  {
    name: 'half a body',
    play: (socket) => writeAll(socket, responseHead, '{"id":').then(() => forever),
    body: chat,
    clock: 'idle',
    message: /sent no further part of its response within 500 ms/,
  },
  {
    name: 'a body without an end',
    play: async (socket) => (
      await writeAll(socket, head(200, { 'content-type': 'application/json', 'content-length': 1_000_000 }), '{"id":"'),
      await repeat(socket, Buffer.from('x'))
    ),
    body: chat,
    clock: 'total',
    message: /did not finish within 1500 ms/,
  },
  {
    name: 'no response within request_timeout, not streamed',
    play: () => forever,
    body: chat,
    headers: { 'x-gateway-config': 'hasty' },
    message: /did not respond within 250 ms/,
    setting: 'request_timeout',
  },
  {
    name: 'no content within request_timeout, streamed',
    play: async (socket) => (await writeAll(socket, head(200, chunked)), await repeat(socket, piece(role))),
    body: streamed,
    headers: { 'x-gateway-config': 'hasty' },
    message: /did not respond within 250 ms/,
    setting: 'request_timeout',
  },
  {
    name: "nothing within the request's own limit",
    play: () => forever,
    body: chat,
    headers: { 'x-gateway-config': 'hasty', 'x-gateway-request-timeout': '200' },
    message: /did not respond within 200 ms/,
    setting: 'x-gateway-request-timeout',
  },
];

const names = ['first_byte', 'idle', 'total'] as const;

describe('a provider that stops sending', () => {
  let rig: Rig;
  let hole: Blackhole | undefined;
  beforeAll(async () => {
    hole = await startBlackhole();
    const black = {
      type: 'openai',
      api_key: 'sk-key-of-nobody-0123',
      custom_host: `http://127.0.0.1:${hole?.port ?? 1}/v1`,
      timeouts: timeoutsWith('connect'),
    };
    rig = await startRig({
      providers: (url) => ({
        black,
        ...Object.fromEntries(
          names.map((clock) => [
            clock,
            { type: 'openai', api_key: `sk-key-of-${clock}-0123456`, custom_host: `${url}/v1`, timeouts: timeoutsWith(clock) },
          ]),
        ),
      }),
      configs: {
        hasty: { request_timeout: 250, provider: 'a' },
        twice: { strategy: { mode: 'fallback' }, targets: [{ provider: 'first_byte' }, { provider: 'a', request_timeout: 100 }] },
        ...Object.fromEntries(
          names.map((clock) => [`pair_${clock}`, { strategy: { mode: 'fallback' }, targets: [{ provider: clock }, { provider: 'b' }] }]),
        ),
        around: { strategy: { mode: 'fallback' }, targets: [{ provider: 'black' }, { provider: 'b' }] },
      },
    });
  });
  afterEach(() => rig.expectQuiet());
  afterAll(async () => {
    await rig.close();
    await hole?.close();
  });

  it.each(silences)(
    'with $name is aborted, and the error names the setting',
    async ({ play, body, clock, headers = at(clock ?? 'total'), message, setting }) => {
      rig.wire.script = play;
      const response = await rig.sendAndRead({ ...body }, headers);
      const error = errorOf(response.text);
      expect([response.status, error.code, error.type]).toEqual([408, 'timeout', 'timeout_error']);
      expect(error.message).toMatch(message);
      expect(error.gateway.hint).toBe(`To wait longer, raise ${setting ?? `timeouts.${clock}`}.`);
      expect(response.record).toMatchObject({ end: 'fault', status: 408, error: { code: 'timeout' } });
      expect(outcomes(response.record)).toEqual([`${clock ?? 'a'} timeout`]);
    },
  );

  it.each(silences.filter(({ clock }) => clock !== undefined))(
    'with $name triggers the fallback',
    async ({ play, body, clock = 'total' }) => {
      rig.wire.script = play;
      const response = await rig.sendAndRead({ ...body }, pairAt(clock));
      expect([response.status, outcomes(response.record)]).toEqual([200, [`${clock} timeout`, 'b answered 200']]);
    },
  );

  it('as the last target of a fallback returns 408 all_targets_failed', async () => {
    rig.wire.script = () => forever;
    const response = await rig.sendAndRead(streamed, { 'x-gateway-config': 'twice' });
    expect([response.status, errorOf(response.text).code, outcomes(response.record)]).toEqual([
      408,
      'all_targets_failed',
      ['first_byte timeout', 'a timeout'],
    ]);
  });

  it('is aborted with 408 if the connection is not accepted', async (test) => {
    if (hole === undefined) test.skip('this system accepts connections to a full queue');
    const response = await rig.sendAndRead(chat, { 'x-gateway-provider': '@black' });
    expect([response.status, errorOf(response.text).code]).toEqual([408, 'timeout']);
    expect(errorOf(response.text).message).toMatch(/did not accept a connection within 300 ms/);
    const around = await rig.sendAndRead(chat, { 'x-gateway-config': 'around' });
    expect(outcomes(around.record)).toEqual(['black timeout', 'b answered 200']);
  });

  describe.each([true, false])('first_byte with fast_path: %s', (fast) => {
    /** A provider that reads a few megabytes at a time, longer than the timeout in total, and responds to the complete request. */
    async function slowReader(rounds: number): Promise<{ readonly rig: Rig; close(): Promise<void> }> {
      const server = createServer((socket) => {
        let received = 0;
        let unread = 0;
        let round = 0;
        socket.pause().on('error', () => undefined);
        const timer = setInterval(() => {
          round += 1;
          unread = 0;
          if (round <= rounds) socket.resume();
        }, 400);
        socket.once('close', () => clearInterval(timer));
        socket.on('data', (bytes) => {
          received += bytes.length;
          unread += bytes.length;
          if (unread > largeBody / 8) socket.pause();
          if (received < largeBody) return;
          clearInterval(timer);
          void writeAll(socket, completeResponse(200, 'text/event-stream', chunks('read').join('')));
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const slow = { type: 'openai', api_key: 'sk-key-of-a-slow-reader-01', timeouts: { ...timeoutsWith('first_byte'), first_byte: '2s' } };
      const custom_host = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      const slowRig = await startRig({ server: { fast_path: fast }, providers: { slow: { ...slow, custom_host } } });
      return { rig: slowRig, close: async () => (await slowRig.close(), void server.close()) };
    }
    const large = { ...streamed, messages: [{ role: 'user', content: 'x'.repeat(largeBody) }] };

    it.each([
      ['does not run while a large body is sent', Number.POSITIVE_INFINITY, 200],
      ['ends an attempt whose provider stops reading the body', 2, 408],
    ])('%s', async (_name, rounds, status) => {
      const { rig: slowRig, close } = await slowReader(rounds);
      const response = await slowRig.sendAndRead(large, { 'x-gateway-provider': '@slow' });
      expect(response.status).toBe(status);
      expect(outcomes(response.record)).toEqual([status === 200 ? 'slow answered 200' : 'slow timeout']);
      await close();
    });
  });

  it.each([
    ['idle', 'idle_timeout', /sent nothing for 500 ms/, () => forever],
    ['idle', 'idle_timeout', /sent nothing for 500 ms/, (socket: Socket) => repeat(socket, piece(': ping\n\n'))],
    ['total', 'timeout', /did not finish within 1500 ms/, (socket: Socket) => repeat(socket, piece(text))],
  ] as const)('after content was sent ends the stream with an error: timeout %s, %s', async (clock, code, message, then) => {
    rig.wire.script = (socket) => writeAll(socket, head(200, chunked), piece(role), piece(text)).then(() => then(socket));
    const response = await rig.sendAndRead(streamed, pairAt(clock));
    const error = errorOf(response.events.at(-1) ?? '');
    expect([response.status, response.isTruncated, error.code]).toEqual([200, false, code]);
    expect(error.message).toMatch(message);
    expect(contentOf(response.events).startsWith('one ')).toBe(true);
    expect(response.text).not.toContain('[DONE]');
    expect(response.record).toMatchObject({ end: 'fault', status: 200, error: { code } });
    expect(outcomes(response.record)).toEqual([`${clock} answered 200`]);
  });
});
