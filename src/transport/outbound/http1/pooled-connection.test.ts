import type { LookupFunction } from 'node:net';
import { queryObjects } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { UpstreamConnection } from './connection.ts';
import { completeResponse, RecordingReceiver, route, startedRig, until } from './fixtures/pool-rig.ts';
import { OriginPool } from './origin-pool.ts';
import { holdTime, turns } from '../../../../test/support/time.ts';
import { TimerWheel } from '../../wire/timer-wheel.ts';

const rig = startedRig();

describe('Origins connection', () => {
  it('holds no reference to a request that it has served', async () => {
    await Promise.all([rig.sendAndWait(), rig.sendAndWait()]);
    await rig.sendAndWait();
    await until(() => queryObjects(RecordingReceiver, { format: 'count' }) === 0);
    expect(rig.sockets.length).toBe(2);
  });

  it('is released after it is closed', async () => {
    await Promise.all([rig.sendAndWait(), rig.sendAndWait()]);
    for (const socket of rig.sockets) socket.destroy();
    await until(() => queryObjects(UpstreamConnection, { format: 'count' }) === 0);
    expect(rig.sockets.length).toBe(2);
  });

  it('serves one request after another', async () => {
    for (let n = 0; n < 5; n += 1) expect(await rig.sendAndWait()).toBe('200 fine');
    expect(rig.sockets.length).toBe(1);
  });

  it('is reused if it was used last', async () => {
    rig.respond = () => undefined;
    const pendingRequests = [rig.send(), rig.send(), rig.send()];
    await until(() => rig.receivedTexts.filter((text) => text.endsWith('{}')).length === 3);
    rig.respond = (socket) => socket.write(completeResponse('fine'));
    let endedCount = 0;
    for (const receiver of pendingRequests) void receiver.ended.promise.then(() => (endedCount += 1));
    for (const [pendingBefore, n] of [2, 0, 1].entries()) {
      rig.sockets[n]?.write(completeResponse(`${n}`));
      await until(() => endedCount > pendingBefore);
    }
    expect(await Promise.all(pendingRequests.map(({ ended }) => ended.promise))).toHaveLength(3);
    await rig.sendAndWait();
    expect(rig.receivedTexts.map((text) => text.split('POST').length - 1)).toEqual([1, 2, 1]);
  });

  it.each([
    ['received connection: close', completeResponse('fine', 'connection: close\r\n')],
    ['received bytes after its response', `${completeResponse('fine')}x`],
    ['is about to reach the keep-alive timeout of the server', completeResponse('fine', 'keep-alive: timeout=1\r\n')],
  ])('is not reused if it %s', async (_name, text) => {
    rig.respond = (socket) => socket.write(text);
    expect([await rig.sendAndWait(), await rig.sendAndWait(), rig.sockets.length]).toEqual(['200 fine', '200 fine', 2]);
  });

  it('is closed if a response arrives without a request, and the next request does not receive it', async () => {
    await rig.sendAndWait();
    // Sockets are read after timers: bytes that have arrived by then are known before the
    // request leaves.
    await turns(5);
    rig.sockets[0]?.write(completeResponse('poison'));
    expect([await rig.sendAndWait(), rig.sockets.length]).toEqual(['200 fine', 2]);
  });

  it('is new for a request that may not be sent twice, and is not reused', async () => {
    await rig.sendAndWait();
    expect([await rig.sendAndWait({}, { ...route, isOnce: true }), await rig.sendAndWait(), rig.sockets.length]).toEqual([
      '200 fine',
      '200 fine',
      2,
    ]);
    expect(rig.receivedTexts[1]).not.toMatch(/POST[^]*POST/);
  });

  it('is closed if the rest of a response is aborted', async () => {
    rig.respond = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
    const receiver = rig.send();
    await until(() => receiver.text === '200 half');
    const closed = new Promise((resolve) => rig.sockets[0]?.once('close', resolve));
    receiver.source?.abort();
    await closed;
    receiver.source?.abort();
    rig.respond = (socket) => socket.write(completeResponse('fine'));
    expect(await rig.sendAndWait()).toBe('200 fine');
  });

  it('is kept for the next request if its request was abandoned before it was sent', async () => {
    const receiver = new RecordingReceiver();
    receiver.isAbandoned = true;
    rig.origins.send(rig.request(), route, receiver);
    await until(() => receiver.source !== undefined && rig.sockets.length === 1);
    expect([rig.receivedTexts[0], await rig.sendAndWait(), rig.sockets.length]).toEqual(['', '200 fine', 1]);
  });

  it('is kept no longer than its provider allows if a request was abandoned before it was sent', async () => {
    const time = holdTime();
    rig.respond = (socket) => socket.write(completeResponse('fine', 'keep-alive: timeout=5\r\n'));
    await rig.sendAndWait();
    time.pass(2000);
    const receiver = Object.assign(new RecordingReceiver(), { isAbandoned: true });
    rig.origins.send(rig.request(), route, receiver);
    await until(() => receiver.source !== undefined);
    time.pass(2000);
    expect([await rig.sendAndWait(), rig.sockets.length]).toEqual(['200 fine', 2]);
  });

  it('is kept for less than a minute if its provider says nothing', async () => {
    const time = holdTime();
    await rig.sendAndWait();
    time.pass(54_000);
    expect([await rig.sendAndWait(), rig.sockets.length]).toEqual(['200 fine', 1]);
    time.pass(56_000);
    expect([await rig.sendAndWait(), rig.sockets.length]).toEqual(['200 fine', 2]);
  });

  it('is replaced after ten minutes in use', async () => {
    const time = holdTime();
    const opened: number[] = [];
    for (let seconds = 0; seconds <= 660; seconds += 30) {
      await rig.sendAndWait();
      opened.push(rig.sockets.length);
      // The clock counts in fractions: a sum of them may be a little less than its parts.
      time.pass(30_001);
    }
    expect(opened).toEqual([...Array<number>(20).fill(1), 2, 2, 2]);
  });

  it('is replaced after ten minutes also if it was idle then', async () => {
    const time = holdTime();
    rig.respond = (socket) => socket.write(completeResponse('fine', 'keep-alive: timeout=600\r\n'));
    await rig.sendAndWait();
    time.pass(590_000);
    await rig.sendAndWait();
    expect(rig.sockets.length).toBe(1);
    time.pass(20_000);
    await rig.sendAndWait();
    expect(rig.sockets.length).toBe(2);
  });

  it('fails with a connect timeout if the request is over, and other requests keep waiting', async () => {
    const neverLookup: LookupFunction = () => {};
    rig.origins.close();
    rig.origins = new OriginPool({ wheel: new TimerWheel(), lookup: () => neverLookup });
    const [abortedRequest, pendingRequest] = [0, 1].map(() => rig.send({ origin: 'http://a.example' })) as [
      RecordingReceiver,
      RecordingReceiver,
    ];
    abortedRequest.isOver = true;
    rig.origins.check();
    expect(await abortedRequest.ended.promise).toBe('UPSTREAM_CONNECT_TIMEOUT');
    expect(await Promise.race([pendingRequest.ended.promise, turns(5).then(() => 'still waiting')])).toBe('still waiting');
  });

  it('reads the next response after it was paused at the end of a response', async () => {
    const receiver = new RecordingReceiver();
    receiver.pausesAt = 'fine';
    rig.origins.send(rig.request(), route, receiver);
    expect([await receiver.ended.promise, await rig.sendAndWait(), rig.sockets.length]).toEqual(['200 fine', '200 fine', 1]);
  });

  it('reads nothing while it is paused', async () => {
    const block = 'x'.repeat(64 * 1024);
    rig.respond = (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${block.length * 400}\r\n\r\n`);
      for (let n = 0; n < 400; n += 1) socket.write(block);
    };
    const receiver = rig.send();
    await until(() => receiver.text.length > 10);
    receiver.source?.pause();
    await turns();
    const lengthBefore = receiver.text.length;
    await turns();
    expect([receiver.text.length, lengthBefore < block.length * 200]).toEqual([lengthBefore, true]);
    receiver.source?.resume();
    expect((await receiver.ended.promise).length).toBe(4 + block.length * 400);
    rig.respond = (socket) => socket.write(completeResponse('fine'));
    expect([await rig.sendAndWait(), rig.sockets.length]).toEqual(['200 fine', 1]);
  });
});
