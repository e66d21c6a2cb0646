import type { LookupFunction } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { GatewayError } from '../../../core/error.ts';
import { JsonBody } from '../../../core/json/body.ts';
import type { WireRequest } from '../../wire/request.ts';
import { completeResponse, route, startedRig, until } from './fixtures/pool-rig.ts';
import { OriginPool } from './origin-pool.ts';
import { turns } from '../../../../test/support/time.ts';
import { TimerWheel } from '../../wire/timer-wheel.ts';

const rig = startedRig();

describe('Origins with a plain request', () => {
  it('writes the expected headers and body', async () => {
    expect(await rig.sendAndWait()).toBe('200 fine');
    const { host } = new URL(rig.url);
    expect(rig.receivedTexts).toEqual([
      `POST /v1/x HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
    ]);
  });

  it('writes a large body completely', async () => {
    const large = Buffer.alloc(300_000, 'x');
    rig.respond = (socket) => void (rig.receivedTexts[0]?.endsWith('xx!') === true && socket.write(completeResponse('got it')));
    large.write('!', large.length - 1);
    expect(await rig.sendAndWait({ body: { kind: 'json', bytes: () => large } })).toBe('200 got it');
    expect(rig.receivedTexts[0]).toContain('content-length: 300000\r\n\r\nxxx');
  });

  it('releases the memory of a large body once it is written, and sends the same bytes again', async () => {
    const content = JsonBody.from(Buffer.from(JSON.stringify({ text: 'ü'.repeat(550_000), model: 'm' })));
    for (const body of [content, content.edit(new Map([['model', 'n']]))]) {
      const text = body.bytes().toString('latin1');
      const sentChunks: Buffer[] = [];
      const formBody: WireRequest['body'] = {
        kind: 'json',
        holdsBytes: body.holdsBytes,
        bytes: () => sentChunks[sentChunks.push(body.bytes()) - 1] as Buffer,
      };
      rig.respond = (socket, _, n) => void (rig.receivedTexts[n]?.endsWith(text) === true && socket.write(completeResponse('got it')));
      expect(await rig.sendAndWait({ body: formBody })).toBe('200 got it');
      expect(await rig.sendAndWait({ body: formBody })).toBe('200 got it');
      expect(sentChunks.map(({ length }) => length)).toEqual([0, 0]);
    }
  });

  it('does not release bytes that others may read', async () => {
    const large = Buffer.alloc(1_500_000, 'x');
    rig.respond = (socket) => void ((rig.receivedTexts[0]?.length ?? 0) > large.length && socket.write(completeResponse('got it')));
    for (const holdsBytes of [true, undefined]) {
      rig.receivedTexts[0] = '';
      expect(
        await rig.sendAndWait({ body: { kind: 'json', ...(holdsBytes === undefined ? {} : { holdsBytes }), bytes: () => large } }),
      ).toBe('200 got it');
      expect(large).toHaveLength(1_500_000);
    }
  });

  it('sends content-length: 0 only if the method expects a body', async () => {
    await rig.sendAndWait({ method: 'GET', headers: [], body: { kind: 'none' } });
    await rig.sendAndWait({ headers: [], body: { kind: 'none' } });
    expect(rig.receivedTexts[0]).toMatch(/^GET [^]*keep-alive\r\n\r\nPOST [^]*keep-alive\r\ncontent-length: 0\r\n\r\n$/);
  });

  it.each<[string, Partial<WireRequest>]>([
    ['a line break in a header', { headers: ['a', 'b\r\nc: d'] }],
    ['an invalid header name', { headers: ['a b', 'c'] }],
    ['a header value outside Latin-1', { headers: ['a', '€'] }],
    ['its own host header', { headers: ['Host', 'elsewhere'] }],
    ['its own content-length', { headers: ['content-length', '2'] }],
    ['an expect header', { headers: ['expect', '100-continue'] }],
    ['a path with a blank', { path: '/a b' }],
    ['a path with a line break', { path: '/a\r\nx: y' }],
    ['an unusual method', { method: 'QUERY' }],
    ['a body on GET', { method: 'GET' }],
    ['an origin with a path', { origin: 'http://127.0.0.1:1/v1' }],
    ['another scheme', { origin: 'ws://127.0.0.1:1' }],
  ])('rejects a request as not plain with %s', async (_name, overrides) => {
    expect(await rig.sendAndWait()).toBe('200 fine');
    expect(await rig.sendAndWait(overrides)).toBe('not plain');
    expect([await rig.sendAndWait(), rig.receivedTexts.length]).toEqual(['200 fine', 1]);
  });
});

describe('Origins', () => {
  it('applies the egress rules of the operator or the request to each connection', async () => {
    const lookedUp: string[] = [];
    const closed: LookupFunction = (name, _options, callback) => {
      lookedUp.push(name);
      callback(new GatewayError('not_allowed', { message: 'inside' }), '', 0);
    };
    rig.origins.close();
    rig.origins = new OriginPool({ wheel: new TimerWheel(), lookup: (trust) => (trust === 'request' ? closed : undefined) });
    const origin = rig.url.replace('127.0.0.1', 'localhost');
    expect(await rig.sendAndWait({ origin })).toBe('200 fine');
    for (let n = 0; n < 2; n += 1) expect(await rig.sendAndWait({ origin }, { ...route, trust: 'request' })).toBe('not_allowed');
    expect([lookedUp, rig.sockets.length]).toEqual([['localhost', 'localhost'], 1]);
  });

  it('closes the connection that has been idle for longest for a new one, if there are many', async () => {
    rig.origins.close();
    rig.origins = new OriginPool({ wheel: new TimerWheel(), lookup: () => undefined, idleUpTo: 3 });
    const isOpen = (): readonly boolean[] => rig.sockets.map(({ destroyed, readableEnded }) => !destroyed && !readableEnded);
    const localhost = { origin: rig.url.replace('127.0.0.1', 'localhost') };
    await Promise.all([rig.sendAndWait(localhost), rig.sendAndWait(localhost)]);
    await rig.sendAndWait();
    await rig.sendAndWait(localhost);
    expect(isOpen()).toEqual([true, true, true]);
    await rig.sendAndWait({}, { ...route, isOnce: true });
    await until(() => isOpen().filter(Boolean).length === 2);
    // The rig.server has seen two connections of localhost, of which one was used again.
    expect(isOpen()[2]).toBe(true);
    rig.respond = () => undefined;
    for (let n = 0; n < 5; n += 1) rig.send();
    // Connections in use are never closed, and their number is not limited.
    await until(() => isOpen().length === 8 && isOpen().filter(Boolean).length === 5);
    expect(isOpen()[2]).toBe(true);
  });

  it('closes idle connections at the next check if there are more than may stay idle', async () => {
    rig.origins.close();
    rig.origins = new OriginPool({ wheel: new TimerWheel(), lookup: () => undefined, idleUpTo: 3 });
    const open: number[] = [];
    const count = async (): Promise<void> => {
      await turns(20);
      open.push(rig.sockets.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length);
    };
    await Promise.all(Array.from({ length: 5 }, () => rig.sendAndWait()));
    await count();
    // A search of the list for each connection takes seconds if there are tens of thousands.
    const search = vi.spyOn(Array.prototype, 'lastIndexOf');
    rig.origins.check();
    expect(search).not.toHaveBeenCalled();
    search.mockRestore();
    await count();
    rig.origins.check();
    await count();
    expect(open).toEqual([5, 3, 3]);
  });

  it('keeps at most 256 origins', () => {
    for (const trust of ['operator', 'request'] as const)
      for (let n = 0; n < 1000; n += 1) {
        const receiver = rig.send({ origin: `http://h${n}.example`, path: '/a b' }, { ...route, trust });
        expect(receiver.text).toBe('');
      }
    expect(rig.origins.size).toBe(256);
  });

  it.each([
    ['a new origin', {}],
    ['a request that may not be sent twice', { isOnce: true }],
  ])('fails a request whose connection throws at once, and counts no request in progress: %s', async (_, more) => {
    rig.origins.close();
    const throwing = (): never => {
      throw new Error('no file descriptor is left');
    };
    rig.origins = new OriginPool({ wheel: new TimerWheel(), lookup: () => throwing });
    const receiver = rig.send({ origin: rig.url.replace('127.0.0.1', 'localhost') }, { ...route, ...more });
    expect(await receiver.ended.promise).toBe('no file descriptor is left');
    expect(rig.origins.check()).toBe(false);
  });

  it('counts no request in progress after close(), even if requests were waiting to be sent', async () => {
    await rig.sendAndWait();
    const waiting = [rig.send(), rig.send()];
    rig.origins.close();
    expect(await Promise.all(waiting.map(({ ended }) => ended.promise))).toEqual(['UPSTREAM_CLOSED', 'UPSTREAM_CLOSED']);
    expect(rig.origins.check()).toBe(false);
  });

  it('rejects requests after close()', async () => {
    rig.respond = () => undefined;
    const receiver = rig.send();
    await until(() => rig.sockets.length === 1);
    rig.origins.close();
    expect([await receiver.ended.promise, await rig.sendAndWait()]).toEqual(['UPSTREAM_CLOSED', 'UPSTREAM_CLOSED']);
  });
});
