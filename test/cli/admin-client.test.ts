import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type AdminClient, adminClient } from '../../src/cli/admin-client.ts';

let server: Server | undefined;
afterEach(() => server?.close());

async function clientOf(listening: Server): Promise<AdminClient> {
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return adminClient({ admin: `http://127.0.0.1:${(listening.address() as AddressInfo).port}` }, { env: {}, cwd: '/' });
}

/** An admin API that returns 429 to the first `times` requests. */
async function busy(times: number, retryAfter: string | undefined): Promise<{ send: () => Promise<unknown>; requestCount: () => number }> {
  let requestCount = 0;
  const listening = createServer((_request, response) => {
    requestCount += 1;
    if (requestCount > times) response.writeHead(200).end('{"fine":true}');
    else
      response
        .writeHead(429, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
        .end('{"error":{"code":"rate_limited","message":"Too many calls."}}');
  });
  const client = await clientOf(listening);
  return { send: () => client.get('/api/status'), requestCount: () => requestCount };
}

describe('an admin API that returns 429', () => {
  it.each([
    ['is retried after the time in retry-after', 3, '0', 4, { fine: true }],
    ['is not retried more than five times', 100, '0', 6, undefined],
    ['is not retried if retry-after is long', 1, '60', 1, undefined],
    ['is not retried without retry-after', 1, undefined, 1, undefined],
  ])('%s', async (_name, times, retryAfter, expectedRequests, expected) => {
    const api = await busy(times, retryAfter);
    if (expected === undefined) await expect(api.send()).rejects.toThrow('Too many calls');
    else expect(await api.send()).toEqual(expected);
    expect(api.requestCount()).toBe(expectedRequests);
  });
});

describe('a stream of events', () => {
  it.each<[string, RequestListener, number]>([
    ['does not start', () => {}, 0],
    ['stops sending events', (_request, response) => response.setHeader('content-type', 'text/event-stream').write('data: 1\n\n'), 1],
  ])('is not followed forever if it %s', async (_name, listener, events) => {
    const client = await clientOf(createServer(listener));
    let seen = 0;
    const followed = async (): Promise<void> => {
      for await (const { data } of client.events('/api/live', {}, { silenceMs: 200 })) seen += Number(data);
    };
    await expect(followed()).rejects.toThrow('sent nothing for 0.2 s');
    expect(seen).toBe(events);
  });
});

it('a stream of events whose event never ends is not stored without limit', async () => {
  const client = await clientOf(
    createServer((_request, response) => {
      response.setHeader('content-type', 'text/event-stream');
      const chunk = `data: ${'x'.repeat(1_000_000)}\n`;
      const send = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', send);
      send();
    }),
  );
  const followed = async (): Promise<void> => {
    for await (const _event of client.events('/api/live', {}, {})) throw new Error('an event');
  };
  await expect(followed()).rejects.toThrow('sent an event that is too long: it may be another program');
});

it('prints how to get a token if there is no configuration file', async () => {
  const client = await clientOf(
    createServer((_request, response) => {
      response.writeHead(401).end('{"error":{"code":"sign_in_required","message":"Sign in first."}}');
    }),
  );
  await expect(client.get('/api/status')).rejects.toMatchObject({
    code: 5,
    message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ requires an admin token$/) as string,
    hint: expect.stringContaining('There is no gateway.yaml here') as string,
  });
});

it('an https address of a server without TLS is reported in words', async () => {
  const listening = createServer();
  await clientOf(listening);
  const { port } = listening.address() as AddressInfo;
  const client = adminClient({ admin: `https://127.0.0.1:${port}` }, { env: { GATEWAY_ADMIN_TOKEN: 't' }, cwd: '/' });
  await expect(client.get('/api/status')).rejects.toThrow(
    `no gateway at https://127.0.0.1:${port}: no TLS connection is possible; the address may begin with http://`,
  );
});
