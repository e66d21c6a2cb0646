import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listen, portOf, shut } from './rig.ts';

const megabyte = 1024 * 1024;
const size = 200 * megabyte;
/** Allowed memory growth of a warmed-up relay while 200 MB pass: buffers in use and garbage. */
const bound = 100 * megabyte;
const block = Buffer.alloc(256 * 1024, 'relay');

/** The same bytes every time, without storing them. */
function* bytes(total: number): Generator<Buffer> {
  for (let sent = 0; sent < total; sent += block.length) yield block;
}

/** Reads slowly, with pauses. */
async function digest(stream: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    count += 1;
    if (count % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return hash.digest('hex');
}

test('relays 200 MB in both directions to slow readers without buffering them', async () => {
  const upstream = createServer((req, res) => {
    const total = Number(req.headers['x-size'] ?? 0);
    if (req.method === 'GET') Readable.from(bytes(total)).pipe(res.writeHead(200, { 'content-length': total }));
    else void digest(req).then((hash) => res.end(hash));
  });
  await listen(upstream);
  const child = fork(fileURLToPath(new URL('relay-process.ts', import.meta.url)), [`http://127.0.0.1:${portOf(upstream)}`], {
    execArgv: [],
  });
  const sendRequests = async (): Promise<Record<string, number>> => {
    child.send('highest');
    return (await once(child, 'message'))[0] as Record<string, number>;
  };
  const { port = 0 } = (await once(child, 'message'))[0] as Record<string, number>;
  const headers = (total: number): Record<string, string> => ({ 'x-size': total.toString() });
  const upload = (total: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const req = httpRequest(
        { port, host: '127.0.0.1', method: 'POST', path: '/v1/files', agent: false, headers: headers(total) },
        (res) => {
          let text = '';
          res.on('data', (chunk: Buffer) => {
            text += chunk.toString();
          });
          res.on('end', () => resolve(text));
        },
      );
      req.on('error', reject);
      Readable.from(bytes(total)).pipe(req);
    });
  const download = (total: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const req = httpRequest(
        { port, host: '127.0.0.1', path: '/v1/files/1/content', agent: false, headers: headers(total) },
        (res) => void digest(res).then(resolve, reject),
      );
      req.on('error', reject).end();
    });

  await upload(20 * megabyte);
  await download(20 * megabyte);
  const { highest: before = 0 } = await sendRequests();
  const expected = await digest(Readable.from(bytes(size)));
  expect(await upload(size)).toBe(expected);
  const { highest: up = 0 } = await sendRequests();
  expect(await download(size)).toBe(expected);
  const { highest: down = 0 } = await sendRequests();
  child.disconnect();
  await shut(upstream);

  expect(before).toBeGreaterThan(0);
  expect(up - before).toBeLessThan(bound);
  expect(down - before).toBeLessThan(bound);
});
