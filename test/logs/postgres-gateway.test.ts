import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { skipping } from '../support/skipping.ts';
import { postgresKind } from './stores.ts';

const kind = postgresKind();

async function ask(url: string, text: string): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: text }] }),
  });
  await response.arrayBuffer();
  return response.headers.get('x-request-id') ?? '';
}

describe.skipIf(skipping(kind.missing))('gateways with one Postgres', () => {
  beforeAll(() => kind.start());
  afterAll(() => kind.end());

  it('see the requests of each other, and keep what comes while the database is away', async () => {
    const store = await kind.server().database();
    const yaml = `version: 1\nproviders:\n  mock: {type: mock}\nlogging: {requests: {bodies: full, store: "${store}"}}\n`;
    const [one, two] = [await startTestGateway(yaml), await startTestGateway(yaml)];
    try {
      const ids = [await ask(one.url, 'first'), await ask(two.url, 'second')];
      const found = async (): Promise<string[]> => {
        const page = await one.gateway.logs?.search({ query: 'status:200', limit: 10 }).catch(() => undefined);
        return (page?.rows ?? []).map(({ id }) => id).toSorted();
      };
      await expect.poll(found).toEqual(ids.toSorted());
      await kind.server().kill();
      ids.push(await ask(one.url, 'third'), await ask(two.url, 'fourth'));
      await expect.poll(async () => (await one.gateway.logs?.state())?.problems.join()).toMatch(/^Records wait in the spool: postgres 127/);
      expect((await one.gateway.logs?.state())?.problems.join()).not.toContain(kind.server().password);
      const refused = one.gateway.logs?.search({ query: '', limit: 10 });
      await expect(refused).rejects.toMatchObject({
        code: 'log_unavailable',
        hint: expect.stringContaining('until the database') as string,
      });
      await kind.server().start();
      await expect.poll(found).toEqual(ids.toSorted());
      await expect.poll(() => one.lines.join('')).toContain('the store of the request log works again');
      const record = await two.gateway.logs?.get(ids[2] ?? '');
      expect(record?.record).toMatchObject({ status: 200, provider: 'mock' });
      expect(Buffer.from((await two.gateway.logs?.body(ids[2] ?? '', 'request')) ?? []).toString()).toContain('third');
      expect((await two.gateway.logs?.stats({ query: '' }))?.total.requests).toBe(4);
    } finally {
      await Promise.all([one.close(), two.close()]);
    }
  });
});
