import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Pools, type Route } from './pools.ts';

const operatorRoute: Route = { trust: 'operator', connectMs: 5000 };
const request: Route = { trust: 'request', connectMs: 5000 };

let pools = new Pools({ lookup: () => undefined });
afterEach(async () => {
  await pools.destroy();
  pools = new Pools({ lookup: () => undefined });
});

describe('Pools', () => {
  it('uses few pools for one origin, whatever connect timeouts the requests have', () => {
    const usedPools = new Set(
      Array.from({ length: 4000 }, (_, i) => pools.for('http://127.0.0.1:9', { ...operatorRoute, connectMs: i + 1 })),
    );
    expect([usedPools.size, pools.size]).toEqual([2, 2]);
  });

  it('selects a pool whose connect timeout is not shorter than that of the request', () => {
    const poolsByTimeout = [1, 999, 1000, 1001, 5000, 5001, 30_000, 600_000].map((connectMs) =>
      pools.for('http://127.0.0.1:9', { ...operatorRoute, connectMs }),
    );
    expect(poolsByTimeout.map((pool) => poolsByTimeout.indexOf(pool))).toEqual([0, 0, 0, 3, 3, 5, 5, 7]);
  });

  it.each(['operator', 'request'] as const)('keeps at most 256 pools for the origins of the %s', (trust) => {
    for (let i = 0; i < 4000; i += 1) pools.for(`http://h${i}.example`, { ...request, trust });
    expect(pools.size).toBe(256);
  });

  it('does not share a pool between a request and the operator', () => {
    expect(pools.for('http://a.example', operatorRoute)).not.toBe(pools.for('http://a.example', request));
  });

  it('keeps pools that are busy, and idle pools of the operator while they are connected', async () => {
    const heldResponses: ServerResponse[] = [];
    const server = createServer((_, response) => void heldResponses.push(response)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const busyPool = pools.for(origin, request);
    const warmPool = pools.for(origin, operatorRoute);
    const responses = Promise.all([get(busyPool), get(warmPool)]);
    while (heldResponses.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    addIdlePools();
    expect([pools.for(origin, request) === busyPool, pools.for(origin, operatorRoute) === warmPool]).toEqual([true, true]);
    for (const response of heldResponses) response.end('done');
    expect(await responses).toEqual(['done', 'done']);
    addIdlePools();
    expect([pools.for(origin, request) === busyPool, pools.for(origin, operatorRoute) === warmPool]).toEqual([false, true]);
    await pools.destroy();
    server.close();
  });
});

/** More origins than the limit. */
function addIdlePools(): void {
  for (let i = 0; i < 300; i += 1) pools.for(`http://h${i}.example`, request);
}

function get(pool: ReturnType<Pools['for']>): Promise<string> {
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
