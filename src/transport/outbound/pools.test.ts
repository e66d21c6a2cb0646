import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Pools, type Route } from './pools.ts';

const operator: Route = { trust: 'operator', connectMs: 5000 };
const request: Route = { trust: 'request', connectMs: 5000 };

let pools = new Pools({ lookup: () => undefined });
afterEach(async () => {
  await pools.destroy();
  pools = new Pools({ lookup: () => undefined });
});

describe('pools of connections', () => {
  it('are few for one origin, whatever times requests give its connections', () => {
    const few = new Set(Array.from({ length: 4000 }, (_, i) => pools.for('http://127.0.0.1:9', { ...operator, connectMs: i + 1 })));
    expect([few.size, pools.size]).toEqual([2, 2]);
  });

  it('never give up a connection before whoever waits for it does', () => {
    const times = [1, 999, 1000, 1001, 5000, 5001, 30_000, 600_000].map((connectMs) =>
      pools.for('http://127.0.0.1:9', { ...operator, connectMs }),
    );
    expect(times.map((pool) => times.indexOf(pool))).toEqual([0, 0, 0, 3, 3, 5, 5, 7]);
  });

  it.each(['operator', 'request'] as const)('are bounded in number for the origins of the %s', (trust) => {
    for (let i = 0; i < 4000; i += 1) pools.for(`http://h${i}.example`, { ...request, trust });
    expect(pools.size).toBe(256);
  });

  it('of a request are not those of the operator', () => {
    expect(pools.for('http://a.example', operator)).not.toBe(pools.for('http://a.example', request));
  });

  it('stay while they have something to do, and those of the operator while they are connected', async () => {
    const waiting: ServerResponse[] = [];
    const server = createServer((_, response) => void waiting.push(response)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const busy = pools.for(origin, request);
    const warm = pools.for(origin, operator);
    const answers = Promise.all([ask(busy), ask(warm)]);
    while (waiting.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    crowd();
    expect([pools.for(origin, request) === busy, pools.for(origin, operator) === warm]).toEqual([true, true]);
    for (const response of waiting) response.end('done');
    expect(await answers).toEqual(['done', 'done']);
    crowd();
    expect([pools.for(origin, request) === busy, pools.for(origin, operator) === warm]).toEqual([false, true]);
    await pools.destroy();
    server.close();
  });
});

/** More origins than are kept. */
function crowd(): void {
  for (let i = 0; i < 300; i += 1) pools.for(`http://h${i}.example`, request);
}

function ask(pool: ReturnType<Pools['for']>): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    pool.dispatch(
      { path: '/', method: 'GET' },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: (_, chunk) => {
          text += chunk.toString();
        },
        onResponseEnd: () => resolve(text),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}
