import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { Sender } from './sender.ts';

let close: () => void = () => undefined;
afterEach(() => close());

async function collector(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/logs`;
}

it.each<[string, RequestListener]>([
  ['sends nothing', () => undefined],
  ['stops in its response', (_, response) => response.writeHead(200).write('{')],
])('returns retry with the reason for a collector that %s', async (_, respond) => {
  const sender = new Sender({ timeoutMs: 200 });
  const sent = await sender.send({ url: await collector(respond), headers: {} }, '{}');
  sender.close();
  expect(sent).toEqual({ kind: 'retry', afterMs: undefined, why: 'no response in time' });
});

it('takes the status of a response that does not end, and closes its connection', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const url = await collector((_, response) => {
    const piece = Buffer.alloc(16_384, 'x');
    const write = (): void => {
      while (response.write(piece));
    };
    response.writeHead(200).on('drain', write).on('close', resolve);
    write();
  });
  const sender = new Sender();
  expect(await sender.send({ url, headers: {} }, '{}')).toEqual({ kind: 'accepted', rejected: 0, why: undefined });
  await closed;
  sender.close();
});

const partialSuccess = JSON.stringify({ partialSuccess: { rejectedLogRecords: '2', errorMessage: 'too old' } });

it.each<[string, Record<string, string>, Buffer, number, string | undefined]>([
  ['plain', {}, Buffer.from(partialSuccess), 2, 'too old'],
  ['compressed', { 'content-encoding': 'gzip' }, gzipSync(partialSuccess), 2, 'too old'],
  ['cut off', { 'content-encoding': 'gzip' }, gzipSync(partialSuccess).subarray(0, 30), 0, undefined],
  ['compressed from 1 MB', { 'content-encoding': 'gzip' }, gzipSync(partialSuccess.padEnd(1_000_000)), 0, undefined],
])('reads how many items were rejected from a response that is %s', async (_, headers, body, rejected, why) => {
  const sender = new Sender();
  const url = await collector((__, response) => response.writeHead(200, headers).end(body));
  expect(await sender.send({ url, headers: {} }, '{}')).toEqual({ kind: 'accepted', rejected, why });
  sender.close();
});
