import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { respondWithFile, boundary, onA, type Origin, send, startOrigin } from './rig.ts';

const megabyte = 1024 * 1024;
/** Upper bound of memory growth for a fresh gateway, for any file size; its log needs a thread. */
const bound = 80 * megabyte;
const block = Buffer.alloc(256 * 1024, '{"custom_id":"r-1","method":"POST","url":"/v1/chat/completions","body":{"model":"m"}}\n');

let origin: Origin;
let child: ChildProcess;
let url = '';

beforeAll(async () => {
  origin = await startOrigin();
  child = fork(fileURLToPath(new URL('gateway-process.ts', import.meta.url)), [origin.url], { execArgv: [] });
  ({ url = '' } = (await once(child, 'message'))[0] as { url?: string });
});

afterAll(async () => {
  child.disconnect();
  await once(child, 'exit');
  await origin.close();
});

/** The peak memory since the last call. */
async function highest(): Promise<number> {
  child.send('highest');
  return ((await once(child, 'message'))[0] as { highest: number }).highest;
}

const opening = Buffer.from(
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\nContent-Type: application/jsonl\r\n\r\n`,
);
const closing = Buffer.from(`\r\n--${boundary}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--${boundary}--\r\n`);

/** A form around a file of this size, without storing it. */
function* form(total: number): Generator<Buffer> {
  yield opening;
  yield* bytes(total);
  yield closing;
}

function* bytes(total: number): Generator<Buffer> {
  for (let written = 0; written < total; written += block.length) yield block.subarray(0, Math.min(block.length, total - written));
}

function digest(chunks: Iterable<Buffer>): { size: number; sha256: string } {
  const hash = createHash('sha256');
  let size = 0;
  for (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: hash.digest('hex') };
}

async function upload(total: number): Promise<void> {
  const expected = digest(form(total));
  const response = await send({ url }, { body: form(total), headers: { 'content-length': expected.size.toString() } });
  expect(response.status, response.text).toBe(200);
  expect(origin.received.pop()).toMatchObject({ ...expected, isWhole: true, body: expect.anything() as Buffer });
}

/** Reads slowly, with pauses. */
async function download(total: number): Promise<void> {
  origin.reply = (response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': total });
    Readable.from(bytes(total)).pipe(response);
  };
  const request = httpRequest(`${url}/v1/files/file-1/content`, { agent: false, headers: onA }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.headers['content-length']).toBe(total.toString());
  const hash = createHash('sha256');
  let count = 0;
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
    count += 1;
    if (count % 50 === 0) await turn();
  }
  expect({ size, sha256: hash.digest('hex') }).toEqual(digest(bytes(total)));
  origin.reply = respondWithFile;
}

test('an upload of 2 GB and a download of 500 MB are not buffered in memory', { timeout: 300_000 }, async () => {
  const before = await highest();
  await upload(2048 * megabyte);
  const up = await highest();
  await download(500 * megabyte);
  const down = await highest();

  expect(before).toBeGreaterThan(0);
  expect(up - before).toBeLessThan(bound);
  expect(down - before).toBeLessThan(bound);
});
