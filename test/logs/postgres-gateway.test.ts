import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminUrl } from '../admin/client.ts';
import { run } from '../cli/process.ts';
import { startTestGateway } from '../support/gateway.ts';
import { skipping } from '../support/skipping.ts';
import { postgresKind } from './stores.ts';

const kind = postgresKind();

async function sendChat(url: string, text: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more },
    body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: text }] }),
  });
  await response.arrayBuffer();
  return response.headers.get('x-request-id') ?? '';
}

const secret = 'a-key-chosen-by-hand';
const hash = createHash('sha256').update(secret).digest('hex');

describe.skipIf(skipping(kind.missing))('gateways with the same Postgres', () => {
  beforeAll(() => kind.start());
  afterAll(() => kind.end());

  it("find each other's requests and keep records while the database is unavailable", async () => {
    const store = await kind.server().database();
    const yaml = `version: 1\nproviders:\n  mock: {type: mock}\nlogging: {requests: {bodies: full, store: "${store}"}}\n`;
    const [one, two] = [await startTestGateway(yaml), await startTestGateway(yaml)];
    try {
      const ids = [await sendChat(one.url, 'first'), await sendChat(two.url, 'second')];
      const found = async (): Promise<string[]> => {
        const page = await one.gateway.logs?.search({ query: 'status:200', limit: 10 }).catch(() => undefined);
        return (page?.rows ?? []).map(({ id }) => id).toSorted();
      };
      await expect.poll(found).toEqual(ids.toSorted());
      const before = await one.gateway.logs?.state();
      await kind.server().kill();
      ids.push(await sendChat(one.url, 'third'), await sendChat(two.url, 'fourth'));
      await expect.poll(async () => (await one.gateway.logs?.state())?.problems.join()).toMatch(/^Records wait in the spool: postgres 127/);
      const away = await one.gateway.logs?.state();
      expect(away?.problems.join()).not.toContain(kind.server().password);
      expect(away).toMatchObject({ kind: before?.kind, records: 2, oldest: before?.oldest });
      const rejected = one.gateway.logs?.search({ query: '', limit: 10 });
      await expect(rejected).rejects.toMatchObject({
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

  it('show when a key was used, also on the command line and by another gateway', async () => {
    const store = await kind.server().database();
    const yaml = `version: 1
providers: {mock: {type: mock}}
api_keys: {app: {hash: "sha256:${hash}"}}
logging: {requests: {store: "\${env:LOG_STORE}"}}
`;
    const folder = mkdtempSync(join(tmpdir(), 'keys-'));
    writeFileSync(join(folder, 'gateway.yaml'), yaml);
    const listed = async (address: string): Promise<readonly [boolean, string]> => {
      const { code, out, err } = await run(['keys', 'list', '--json'], folder, address === '' ? {} : { LOG_STORE: address });
      expect(code).toBe(0);
      return [/"last_used": "20/.test(out), err];
    };
    const gateway = await startTestGateway(yaml, { env: { LOG_STORE: store } });
    try {
      await sendChat(gateway.url, 'hello', { authorization: `Bearer ${secret}` });
      await expect.poll(async () => (await gateway.gateway.logs?.search({ query: 'status:200', limit: 1 }))?.rows.length).toBe(1);
      const wrongStore = store.replace(kind.server().password, 'canary-of-the-store');
      const [right, wrong, unset] = await Promise.all([listed(store), listed(wrongStore), listed('')]);
      expect(right).toEqual([true, '']);
      expect(wrong).toEqual([false, expect.stringMatching(/^warning: the use of keys is shown without the request log: postgres 127/)]);
      expect(wrong[1]).not.toContain('canary');
      expect(unset).toEqual([false, expect.stringContaining('logging.requests.store refers to a variable')]);
    } finally {
      await gateway.close();
      rmSync(folder, { recursive: true });
    }
  });
});

it('does not claim an empty log while its Postgres has not responded since the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unreachable-'));
  const yaml = 'version: 1\nproviders: {mock: {type: mock}}\nlogging: {requests: {store: "postgres://u@127.0.0.1:1/logs"}}\n';
  writeFileSync(join(folder, 'gateway.yaml'), yaml);
  const gateway = await startTestGateway(yaml, { stateDir: join(folder, '.gateway'), admin: true });
  try {
    await expect.poll(async () => (await gateway.gateway.logs?.state())?.problems.join()).toMatch(/ECONNREFUSED/);
    expect(await gateway.gateway.logs?.state()).toMatchObject({ kind: 'not known yet', records: 0 });
    const { code, out } = await run(['status', '--admin', new URL(adminUrl(gateway)).host], folder);
    expect([code, out]).toEqual([0, expect.stringContaining('size not known: the store has not reported it yet')]);
    expect(out).not.toContain('0 records');
  } finally {
    await gateway.close();
    rmSync(folder, { recursive: true });
  }
});
