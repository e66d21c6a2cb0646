import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoreState } from '../../src/core/logs/reader.ts';
import { type TestGateway, startTestGateway } from '../support/gateway.ts';
import { skipping } from '../support/skipping.ts';
import { postgresKind } from './stores.ts';

/**
 * A database that is unavailable longer than the spool can buffer: an hour of traffic in a spool of two megabytes. The oldest
 * bodies are dropped first, then records, and all are counted; the rest is stored once when the database is available.
 */

const kind = postgresKind();
const limit = 2 * 1024 * 1024;

/** Requests with bodies of this size in bytes, in the order in which they were sent. */
async function send(url: string, count: number, bytes: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: randomBytes(bytes / 2).toString('hex') }] }),
    });
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    ids.push(response.headers.get('x-request-id') ?? '');
  }
  return ids;
}

async function stateOf({ gateway }: TestGateway): Promise<StoreState> {
  if (gateway.logs === undefined) throw new Error('no request log is kept');
  return gateway.logs.state();
}

/** Waits until the gateway has freed space in its spool. */
const roomIn = (gateway: TestGateway, share: number): Promise<unknown> =>
  expect.poll(async () => (await stateOf(gateway)).spool.bytes).toBeLessThan(limit * share);

/** Ids of all stored records, and the number of requests in the statistics. */
async function storedBy({ gateway: { logs } }: TestGateway): Promise<{ readonly ids: string[]; readonly counted: number | undefined }> {
  const ids: string[] = [];
  for (let before: string | undefined; ; ) {
    const page = await logs?.search({ query: '', limit: 500, ...(before === undefined ? {} : { before }) });
    ids.push(...(page?.rows ?? []).map(({ id }) => id));
    before = page?.next ?? undefined;
    if (before === undefined) return { ids, counted: (await logs?.stats({ query: '' }))?.total.requests };
  }
}

const back = async (gateway: TestGateway): Promise<void> => {
  await kind.server().start();
  await expect
    .poll(async () => {
      const { spool, problems } = await stateOf(gateway);
      return [spool.bytes, problems];
    })
    .toEqual([0, []]);
};

describe.skipIf(skipping(kind.missing))('a database that is unavailable for a long time', () => {
  beforeAll(() => kind.start());
  afterAll(() => kind.end());

  it('drops the oldest bodies, then the oldest records, and stores nothing twice', async () => {
    const store = await kind.server().database();
    const yaml = `version: 1\nproviders:\n  mock: {type: mock}\nlogging: {requests: {bodies: full, spool_size: ${limit / 1024}KB, store: "${store}"}}\n`;
    const gateway = await startTestGateway(yaml);
    try {
      const before = await send(gateway.url, 10, 100);
      await expect.poll(async () => (await storedBy(gateway)).ids.length).toBe(before.length);

      await kind.server().kill();
      const away: string[] = [];
      // A wave is smaller than the difference between the limits for freeing space and for deleting segments.
      for (let wave = 0; wave < 12; wave += 1) {
        away.push(...(await send(gateway.url, 12, 8000)));
        await roomIn(gateway, 0.55);
      }
      const stateAfterDrop = await stateOf(gateway);
      expect(stateAfterDrop).toMatchObject({ dropped: 0, problems: [expect.stringMatching(/^Records wait in the spool: postgres/)] });
      expect(stateAfterDrop.dropped_bodies).toBeGreaterThan(0);
      await back(gateway);
      // More bodies may have been dropped until the database was available.
      const { dropped_bodies } = await stateOf(gateway);
      const all = [...before, ...away];
      const { ids, counted } = await storedBy(gateway);
      expect([ids.toSorted(), counted]).toEqual([all.toSorted(), all.length]);
      // Only the oldest of this period.
      const disconnects: boolean[] = [];
      for (const id of away) {
        const { request, response } = (await gateway.gateway.logs?.get(id))?.record ?? {};
        expect(response?.why_absent).toBe(request?.why_absent);
        disconnects.push(request?.why_absent === 'deleted: the spool was full');
      }
      expect(disconnects).toEqual(disconnects.toSorted((one, other) => Number(other) - Number(one)));
      // Each request has two bodies: the provider got the same request as the gateway.
      expect(disconnects.filter(Boolean).length * 2).toBe(dropped_bodies);

      await kind.server().kill();
      const later: string[] = [];
      let lost = 0;
      for (let wave = 0; wave < 40 && lost === 0; wave += 1) {
        later.push(...(await send(gateway.url, 110, 10)));
        await roomIn(gateway, 0.75);
        lost = (await stateOf(gateway)).dropped;
      }
      expect(lost).toBeGreaterThan(0);
      await back(gateway);
      const end = await storedBy(gateway);
      lost = (await stateOf(gateway)).dropped;
      // The oldest of this period. A partly stored segment counts as lost completely.
      const missing = all.length + later.length - end.ids.length;
      expect(end.ids.toSorted()).toEqual([...all, ...later.slice(missing)].toSorted());
      expect([missing > 0, missing <= lost]).toEqual([true, true]);
      expect(end.counted).toBe(end.ids.length);
    } finally {
      await gateway.close();
    }
  }, 900_000);
});
