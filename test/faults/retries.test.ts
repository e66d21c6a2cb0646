import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { completion } from '../support/upstream.ts';
import { chat, errorOf, onA, outcomes, readAll, type Rig, startRig, streamed, type ReadResponse } from './rig.ts';
import { forever, head, schemes, writeAll, completeResponse } from './wire.ts';
import { type HeldTime, holdTime, turns } from '../support/time.ts';

const json = 'application/json';
const completionText = JSON.stringify(completion('from a'));
const busy = '{"error":{"message":"try later","type":"server_error","code":"busy"}}';
const succeed = (socket: Socket): Promise<void> => writeAll(socket, completeResponse(200, json, completionText));
const failWith =
  (status: number, headers: Readonly<Record<string, string | number>> = { 'retry-after-ms': 5 }) =>
  (socket: Socket): Promise<void> =>
    writeAll(socket, completeResponse(status, json, busy, headers));

const on = (config: string): Readonly<Record<string, string>> => ({ 'x-gateway-config': config });

describe('retries', () => {
  let rig: Rig;
  /** Plays the responses one after another, and then repeats the last one. */
  const play = (...plays: readonly ((socket: Socket) => Promise<void> | void)[]): number => {
    const before = rig.wire.requests.length;
    rig.wire.script = (socket, { n }) => plays[Math.min(n - before, plays.length) - 1]?.(socket);
    return before;
  };
  const retry = { attempts: 2, use_retry_after_header: true };

  beforeAll(async () => {
    rig = await startRig({
      configs: {
        alone: { provider: 'a', retry },
        once: { provider: 'a' },
        chain: { strategy: { mode: 'fallback' }, targets: [{ provider: 'a', retry }, { provider: 'b' }] },
        failing: {
          strategy: { mode: 'fallback' },
          targets: [
            { provider: 'a', retry: { attempts: 0 } },
            { provider: 'a', retry },
          ],
        },
        codes: { provider: 'a', retry: { attempts: 3, on_status_codes: [418], use_retry_after_header: true } },
      },
    });
  });
  afterEach(() => rig.expectQuiet());
  afterAll(() => rig.close());

  const retryHeaders = (headers: Headers): readonly (string | null)[] =>
    ['retry-attempt-count', 'last-used-option-index'].map((tail) => headers.get(`x-gateway-${tail}`)).concat(headers.get('x-should-retry'));

  it.each([
    ['no retry', [succeed], 200, '0', ['a answered 200']],
    ['one retry', [failWith(503), succeed], 200, '1', ['a answered 503', 'a answered 200']],
    ['two retries', [failWith(429), failWith(500), succeed], 200, '2', ['a answered 429', 'a answered 500', 'a answered 200']],
  ] as const)('are counted in the headers and the record: %s', async (_name, plays, status, count, tries) => {
    play(...plays);
    const response = await rig.sendAndRead(chat, on('alone'));
    expect([response.status, ...retryHeaders(response.headers)]).toEqual([status, count, 'config', null]);
    expect(outcomes(response.record)).toEqual(tries);
    expect(response.headers.get('x-gateway-attempts')).toMatch(
      new RegExp(`^${tries.map((each) => `a=${each.slice(-3)};\\d+ms`).join(', ')}$`),
    );
    expect(response.record.attempts.map(({ reason }) => reason)).toEqual(
      tries.map((each) => (each.endsWith('200') ? null : `status ${each.slice(-3)}: try later`)),
    );
  });

  it('return the last response after the last attempt, with x-should-retry: false', async () => {
    play(failWith(503, { 'retry-after-ms': 5, 'x-should-retry': 'true' }));
    const response = await rig.sendAndRead(chat, on('alone'));
    expect([response.status, response.text, ...retryHeaders(response.headers)]).toEqual([503, busy, '-1', 'config', 'false']);
    expect(response.headers.get('retry-after-ms')).toBe('5');
    expect(response.record).toMatchObject({ end: 'fault', status: 503, error: { source: 'provider' } });
    expect(outcomes(response.record)).toEqual(['a answered 503', 'a answered 503', 'a answered 503']);
  });

  it('are not made without configuration', async () => {
    const before = play(failWith(503));
    const response = await rig.sendAndRead(chat, on('once'));
    expect([response.status, ...retryHeaders(response.headers), rig.wire.requests.length - before]).toEqual([503, '0', 'config', null, 1]);
  });

  it('are made only for the configured status codes', async () => {
    const before = play(failWith(503));
    const response = await rig.sendAndRead(chat, on('codes'));
    expect([response.status, ...retryHeaders(response.headers)]).toEqual([503, '0', 'config', null]);
    expect(rig.wire.requests.length - before).toBe(1);
    play(failWith(418), succeed);
    expect((await rig.sendAndRead(chat, on('codes'))).status).toBe(200);
  });

  it('are not made if the provider forbids them, but the next target is tried', async () => {
    play(failWith(500, { 'x-should-retry': 'false' }));
    const alone = await rig.sendAndRead(chat, on('alone'));
    expect([alone.status, ...retryHeaders(alone.headers), outcomes(alone.record)]).toEqual([
      500,
      '-1',
      'config',
      'false',
      ['a answered 500'],
    ]);
    const chained = await rig.sendAndRead(chat, on('chain'));
    expect([chained.status, outcomes(chained.record)]).toEqual([200, ['a answered 500', 'b answered 200']]);
  });

  it('are made before the fallback', async () => {
    play(failWith(503));
    const response = await rig.sendAndRead(streamed, on('chain'));
    expect([response.status, ...retryHeaders(response.headers)]).toEqual([200, '0', 'config.targets[1]', null]);
    expect(outcomes(response.record)).toEqual(['a answered 503', 'a answered 503', 'a answered 503', 'b answered 200']);
  });

  it.each([
    ['a response', failWith(429), 429],
    ['a rejected credential', (socket: Socket) => writeAll(socket, completeResponse(401, json, busy)), 502],
    ['an invalid response', (socket: Socket) => writeAll(socket, completeResponse(200, 'text/html', '<p>')), 502],
  ] as const)('and fallbacks that end with %s return the status of the last attempt', async (_name, answer, status) => {
    play(answer);
    const response = await rig.sendAndRead(chat, on('failing'));
    const error = errorOf(response.text);
    expect([response.status, error.code, response.headers.get('x-should-retry')]).toEqual([status, 'all_targets_failed', 'false']);
    expect(error.gateway.attempts?.length).toBe(response.record.attempts.length);
    expect(response.record).toMatchObject({ end: 'fault', status, error: { code: 'all_targets_failed', source: 'provider' } });
  });

  it.each([
    ['in milliseconds', () => ({ 'retry-after-ms': 120, 'retry-after': 50 }), 100],
    ['in seconds', () => ({ 'retry-after': 1 }), 900],
    ['as a date', () => ({ 'retry-after': new Date(Date.now() + 2000).toUTCString() }), 900],
  ] as const)('wait for the delay that the provider requests: %s', async (_name, headers, least) => {
    const at: number[] = [];
    const recordAttempt =
      (play: (socket: Socket) => Promise<void>) =>
      (socket: Socket): Promise<void> => (at.push(performance.now()), play(socket));
    play(
      recordAttempt((socket) => failWith(429, headers())(socket)),
      recordAttempt(succeed),
    );
    expect((await rig.sendAndRead(chat, on('alone'))).status).toBe(200);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(least);
  });

  it('do not wait if another target is available', async () => {
    const before = play(failWith(429, { 'retry-after': 30 }));
    const response = await rig.sendAndRead(chat, on('chain'));
    expect([response.status, rig.wire.requests.length - before]).toEqual([200, 1]);
    expect(outcomes(response.record)).toEqual(['a answered 429', 'b answered 200']);
    expect(response.record.attempts[0]?.reason).toBe('status 429, so the next target is tried instead of waiting 30 s: try later');
    expect(response.record.attempts.map(({ retry_after_ms: ms }) => ms)).toEqual([30_000, null]);
  });

  it('wait if no other target is left', async () => {
    play(failWith(503), failWith(429, { 'retry-after': 2 }), succeed);
    const response = await rig.sendAndRead(chat, on('failing'));
    expect(outcomes(response.record)).toEqual(['a answered 503', 'a answered 429', 'a answered 200']);
  });

  it('do not wait longer than a client would', async () => {
    const before = play(failWith(429, { 'retry-after': 3600 }));
    const response = await rig.sendAndRead(chat, on('alone'));
    expect([response.status, response.headers.get('retry-after'), rig.wire.requests.length - before]).toEqual([429, '3600', 1]);
    expect(response.headers.get('x-gateway-retry-attempt-count')).toBe('-1');
    expect(response.record.attempts[0]?.reason).toBe('status 429, the wait of 3600 s is too long: try later');
    expect(response.record.attempts[0]?.retry_after_ms).toBe(3_600_000);
  });

  it('are made after a connection reset', async () => {
    await rig.forgetConnections();
    play((socket) => void socket.resetAndDestroy(), succeed);
    const { record } = await rig.sendAndRead(chat, on('alone'));
    expect(outcomes(record)).toEqual(['a unreachable', 'a answered 200']);
    expect(record.attempts[0]?.reason).toMatch(/^unreachable: Provider "a" sent no valid response: connection reset \(/);
  });
});

describe.each(schemes)('a keep-alive connection over %s', (scheme) => {
  let rig: Rig;
  /** A dead connection must be detected within 100 ms, which a busy machine may exceed: time is frozen here. */
  let time: HeldTime;
  beforeEach(() => {
    time = holdTime();
  });
  beforeAll(async () => {
    rig = await startRig({
      server: { max_in_flight: 5 },
      wire: { scheme },
      configs: { again: { provider: 'a', retry: { attempts: 1, use_retry_after_header: true } } },
    });
  });
  afterEach(() => rig.expectQuiet());
  afterAll(() => rig.close());

  /** Serves the first request of each connection normally and plays this for the second one. */
  function playSecond(second: (socket: Socket) => Promise<void> | void): void {
    const served = new Set<Socket>();
    rig.wire.script = async (socket) => {
      if (served.has(socket)) await second(socket);
      else {
        served.add(socket);
        await succeed(socket);
      }
    };
  }
  const close = (socket: Socket): void => void socket.destroy();
  const reset = (socket: Socket): void => void socket.resetAndDestroy();
  /** Resets the connection while the request is processed. */
  const resetLater = (socket: Socket): void => {
    time.pass(250);
    reset(socket);
  };

  /** Sends one request so that its connection is kept alive, and then another one. */
  async function sendTwice(headers: Readonly<Record<string, string>> = onA): Promise<ReadResponse & { readonly sent: number }> {
    await rig.forgetConnections();
    expect((await rig.sendAndRead(chat, headers)).status).toBe(200);
    const before = rig.wire.requests.length;
    const response = await rig.sendAndRead(chat, headers);
    return { ...response, sent: rig.wire.requests.length - before };
  }

  it.each([
    ['closed', close],
    ['reset', reset],
  ])('that is %s at once has read nothing: the request is sent again and recorded', async (_name, second) => {
    playSecond(second);
    const response = await sendTwice();
    expect([response.status, response.text, response.sent]).toEqual([200, completionText, 2]);
    expect(outcomes(response.record)).toEqual(['a unreachable', 'a answered 200']);
    expect(response.record.attempts.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^the keep-alive connection was closed: Provider "a" could not be reached: connection (?:closed|reset) \(/),
      null,
    ]);
    expect(response.headers.get('x-gateway-attempts')).toMatch(/^a=unreachable;\d+ms, a=200;\d+ms$/);
    expect(response.headers.get('x-gateway-retry-attempt-count')).toBe('0');
  });

  it.each([
    ['during processing', resetLater],
    ['after half a status line', async (socket: Socket) => (await writeAll(socket, 'HTTP/1.1 2'), close(socket))],
    ['after half a head', async (socket: Socket) => (await writeAll(socket, 'HTTP/1.1 200 OK\r\ncontent-ty'), reset(socket))],
    ['after an informational response', async (socket: Socket) => (await writeAll(socket, 'HTTP/1.1 103 Early\r\n\r\n'), close(socket))],
    [
      'after a head',
      async (socket: Socket) => (await writeAll(socket, head(200, { 'content-type': json, 'content-length': 50 })), close(socket)),
    ],
  ] as const)('that fails %s may have read the request: nothing is sent again', async (_name, second) => {
    playSecond(second);
    const response = await sendTwice();
    expect([response.status, response.sent, response.record.attempts.length]).toEqual([502, 1, 1]);
  });

  it('is replaced once: a failure of the new connection is returned', async () => {
    rig.wire.script = succeed;
    await rig.forgetConnections();
    await rig.sendAndRead(chat, onA);
    const before = rig.wire.requests.length;
    rig.wire.script = reset;
    const response = await rig.sendAndRead(chat, onA);
    expect([response.status, rig.wire.requests.length - before]).toEqual([502, 2]);
    expect(outcomes(response.record)).toEqual(['a unreachable', 'a unreachable']);
    expect(response.headers.get('x-gateway-attempts')).toMatch(/^a=unreachable;\d+ms, a=unreachable;\d+ms$/);
  });

  it('that was closed does not count as one of the configured retries', async () => {
    playSecond(close);
    const plain = rig.wire.script;
    let sent = 0;
    await rig.forgetConnections();
    await rig.sendAndRead(chat, on('again'));
    rig.wire.script = (socket, request) => ((sent += 1), sent === 2 ? failWith(503)(socket) : plain(socket, request));
    const response = await rig.sendAndRead(chat, on('again'));
    expect(outcomes(response.record)).toEqual(['a unreachable', 'a answered 503', 'a answered 200']);
    expect(response.headers.get('x-gateway-retry-attempt-count')).toBe('1');
  });

  it('can be closed for all requests at once after a restart: all of them succeed', async () => {
    playSecond(close);
    const sendFive = (): Promise<readonly ReadResponse[]> => Promise.all(Array.from({ length: 5 }, () => rig.sendAndRead(chat, onA)));
    await sendFive();
    const before = rig.wire.requests.length;
    const response = await sendFive();
    expect(response.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(Math.max(...response.map(({ record }) => record.attempts.length))).toBeLessThanOrEqual(2);
    expect(rig.wire.requests.length - before).toBeLessThanOrEqual(10);
  });

  it('of a relayed request without a body is replaced too, and the attempt is recorded', async () => {
    playSecond(close);
    await rig.forgetConnections();
    const get = (): Promise<Response> => fetch(`${rig.gateway.url}/v1/elsewhere`, { headers: onA });
    expect((await get()).status).toBe(200);
    const before = rig.wire.requests.length;
    const response = await readAll(rig.gateway, await get());
    expect([response.status, rig.wire.requests.length - before]).toEqual([200, 2]);
    expect(outcomes(response.record)).toEqual(['a unreachable', 'a answered 200']);
    expect(response.headers.get('x-gateway-attempts')).toMatch(/^a=unreachable;\d+ms, a=200;\d+ms$/);
  });

  it('of a relayed request that fails during processing is not replaced', async () => {
    playSecond(resetLater);
    await rig.forgetConnections();
    const get = (): Promise<Response> => fetch(`${rig.gateway.url}/v1/elsewhere`, { headers: onA });
    expect((await get()).status).toBe(200);
    const before = rig.wire.requests.length;
    expect([(await get()).status, rig.wire.requests.length - before]).toEqual([502, 1]);
  });

  it('is not retried if it was new', async () => {
    await rig.forgetConnections();
    const before = rig.wire.requests.length;
    rig.wire.script = close;
    const response = await rig.sendAndRead(chat, onA);
    expect([response.status, rig.wire.requests.length - before]).toEqual([502, 1]);
  });
});

describe('more requests than server.max_in_flight', () => {
  it('are rejected, and accepted again when a request ends', async () => {
    const rig = await startRig({ server: { max_in_flight: 2 } });
    rig.wire.script = () => forever;
    const controllers = [new AbortController(), new AbortController()];
    const running = controllers.map(({ signal }) => rig.send(chat, onA, signal).catch(() => undefined));
    while (rig.wire.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    const response = await rig.sendAndRead(chat, { 'x-gateway-provider': '@b' });
    expect([response.status, errorOf(response.text).code, errorOf(response.text).type, response.headers.get('retry-after')]).toEqual([
      503,
      'overloaded',
      'overloaded_error',
      '1',
    ]);
    expect(response.record).toMatchObject({ end: 'fault', status: 503, error: { code: 'overloaded', source: 'gateway' } });
    for (const controller of controllers) controller.abort();
    await Promise.all(running);
    await rig.expectQuiet();
    await rig.close();
  });

  it('do not include slow request bodies, which are not admitted yet', async () => {
    const rig = await startRig({ server: { max_in_flight: 1 } });
    const slow = ['application/json', 'multipart/form-data; boundary=x'].map((type) => {
      const path = type === 'application/json' ? '/v1/chat/completions' : '/v1/audio/transcriptions';
      const request = httpRequest(rig.gateway.url + path, { method: 'POST', headers: { 'content-type': type, 'content-length': 100 } });
      request.on('error', () => {}).write('--x');
      return request;
    });
    await Promise.all(slow.map((request) => once(request, 'socket')));
    await turns();
    expect((await rig.sendAndRead(chat, { 'x-gateway-provider': '@b' })).status).toBe(200);
    for (const request of slow) request.destroy();
    await rig.close();
  });
});
