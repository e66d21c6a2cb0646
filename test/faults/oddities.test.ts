import { gzipSync, brotliCompressSync, deflateSync, zstdCompressSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/gateway.ts';
import { chunks, completion } from '../support/upstream.ts';
import { chat, errorOf, onA, onPair, outcomes, readAll, type Rig, startRig, streamed } from './rig.ts';
import { chunked, drained, forever, head, lastPiece, piece, schemes, writeAll, completeResponse } from './wire.ts';

/** Unusual but valid responses: they are forwarded. */

const completionText = JSON.stringify(completion('grüße 🎉'));
const stream = chunks('grüße ', '🎉').join('');
const withoutMark = chunks('one').slice(0, -1).join('');
const json = 'application/json';

const byteByByte = async (socket: Socket, first: string, bytes: Buffer): Promise<void> => {
  await writeAll(socket, first);
  for (const byte of bytes) await new Promise((resolve) => socket.write(Buffer.of(byte), () => setImmediate(resolve)));
};

interface Oddity {
  readonly name: string;
  play(socket: Socket): Promise<void> | void;
  readonly body: object;
  readonly text: string;
}

const oddities: readonly Oddity[] = [
  {
    name: 'gzip that was not requested',
    play: (socket) => writeAll(socket, completeResponse(200, json, gzipSync(completionText), { 'content-encoding': 'gzip' })),
    body: chat,
    text: completionText,
  },
  {
    name: 'brotli that was not requested',
    play: (socket) => writeAll(socket, completeResponse(200, json, brotliCompressSync(completionText), { 'content-encoding': 'br' })),
    body: chat,
    text: completionText,
  },
  {
    name: 'deflate that was not requested',
    play: (socket) => writeAll(socket, completeResponse(200, json, deflateSync(completionText), { 'content-encoding': 'deflate' })),
    body: chat,
    text: completionText,
  },
  {
    name: 'zstd that was not requested',
    play: (socket) => writeAll(socket, completeResponse(200, json, zstdCompressSync(completionText), { 'content-encoding': 'zstd' })),
    body: chat,
    text: completionText,
  },
  {
    name: 'two content codings',
    play: (socket) =>
      writeAll(
        socket,
        completeResponse(200, json, brotliCompressSync(gzipSync(completionText)), { 'content-encoding': 'GZIP, identity, br' }),
      ),
    body: chat,
    text: completionText,
  },
  {
    name: 'gzip of 3 MB',
    play: (socket) =>
      writeAll(
        socket,
        completeResponse(200, json, gzipSync(JSON.stringify(completion('ab'.repeat(1_500_000)))), { 'content-encoding': 'gzip' }),
      ),
    body: chat,
    text: JSON.stringify(completion('ab'.repeat(1_500_000))),
  },
  {
    name: 'a byte order mark, which is removed',
    play: (socket) => writeAll(socket, completeResponse(200, json, `\uFEFF${completionText}`)),
    body: chat,
    text: completionText,
  },
  {
    name: 'a byte order mark in gzip',
    play: (socket) => writeAll(socket, completeResponse(200, json, gzipSync(`\uFEFF${completionText}`), { 'content-encoding': 'gzip' })),
    body: chat,
    text: completionText,
  },
  {
    name: 'a byte order mark, byte by byte',
    play: (socket) =>
      byteByByte(
        socket,
        head(200, { 'content-type': json, 'content-length': Buffer.byteLength(completionText) + 3 }),
        Buffer.from(`\uFEFF${completionText}`),
      ),
    body: chat,
    text: completionText,
  },
  {
    name: 'a body byte by byte',
    play: (socket) =>
      byteByByte(
        socket,
        head(200, { 'content-type': json, 'content-length': Buffer.byteLength(completionText) }),
        Buffer.from(completionText),
      ),
    body: chat,
    text: completionText,
  },
  {
    name: 'a body without a length',
    play: async (socket) => (
      await writeAll(socket, head(200, { 'content-type': json, connection: 'close' }), completionText), void socket.end()
    ),
    body: chat,
    text: completionText,
  },
  {
    name: 'a body after an informational response',
    play: (socket) => writeAll(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', completeResponse(200, json, completionText)),
    body: chat,
    text: completionText,
  },
  {
    name: 'a body with whitespace around it',
    play: (socket) => writeAll(socket, completeResponse(200, json, `\n${completionText}\r\n`)),
    body: chat,
    text: `\n${completionText}\r\n`,
  },
  {
    name: 'a body without a content type',
    play: (socket) => writeAll(socket, head(200, { 'content-length': Buffer.byteLength(completionText) }), completionText),
    body: chat,
    text: completionText,
  },
  {
    name: 'a stream byte by byte',
    play: async (socket) => (
      await byteByByte(socket, head(200, { 'content-type': 'text/event-stream', connection: 'close' }), Buffer.from(stream)),
      void socket.end()
    ),
    body: streamed,
    text: stream,
  },
  {
    name: 'a stream in one piece',
    play: (socket) => writeAll(socket, completeResponse(200, 'text/event-stream; charset=utf-8', stream)),
    body: streamed,
    text: stream,
  },
  {
    name: 'a stream with CRLF and comments',
    play: (socket) => writeAll(socket, head(200, chunked), piece(': hello\r\n\r\n'), piece(stream.replaceAll('\n', '\r\n')), lastPiece),
    body: streamed,
    text: `: hello\r\n\r\n${stream.replaceAll('\n', '\r\n')}`,
  },
  {
    name: 'a stream with a content type in capitals',
    play: (socket) => writeAll(socket, head(200, { ...chunked, 'content-type': 'Text/Event-Stream' }), piece(stream), lastPiece),
    body: streamed,
    text: stream,
  },
  {
    name: 'a stream with finish reasons and without an end mark',
    play: (socket) => writeAll(socket, head(200, chunked), piece(withoutMark), lastPiece),
    body: streamed,
    text: withoutMark,
  },
  {
    name: 'a stream that is not closed after its end mark',
    play: (socket) => writeAll(socket, head(200, chunked), piece(stream)).then(() => forever),
    body: streamed,
    text: stream,
  },
  {
    name: 'a stream without the blank line after its last event',
    play: (socket) => writeAll(socket, head(200, chunked), piece(stream.trimEnd()), lastPiece),
    body: streamed,
    text: stream,
  },
  {
    name: 'a stream with more data after its end mark',
    play: (socket) => writeAll(socket, head(200, chunked), piece(`${stream}: bye\n\n`), lastPiece),
    body: streamed,
    text: `${stream}: bye\n\n`,
  },
];

describe.each(schemes)('an unusual but valid response over %s', (scheme) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ wire: { scheme } });
  });
  afterEach(() => rig.expectQuiet());
  afterAll(() => rig.close());

  it.each(oddities)('is forwarded: $name', async ({ play, body, text }) => {
    rig.wire.script = play;
    const response = await rig.sendAndRead({ ...body }, onPair);
    expect([response.status, response.isTruncated, response.headers.get('content-encoding')]).toEqual([200, false, null]);
    expect(response.text === text || response.text).toBe(true);
    expect(response.record).toMatchObject({ end: 'whole', status: 200, error: null, finish: ['stop'] });
    expect(outcomes(response.record)).toEqual(['a answered 200']);
  });

  it('with one event of 5 MB is forwarded', async () => {
    const picture = `event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","b64_json":"${'A'.repeat(5_000_000)}"}\n\n`;
    const last =
      'event: image_generation.completed\ndata: {"type":"image_generation.completed","b64_json":"AAAA","usage":{"input_tokens":5,"output_tokens":7,"total_tokens":12}}\n\n';
    rig.wire.script = (socket) => writeAll(socket, head(200, chunked), piece(picture), piece(last), lastPiece);
    const response = await fetch(`${rig.gateway.url}/v1/images/generations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...onA },
      body: JSON.stringify({ model: 'm-1', prompt: 'a cat', stream: true, partial_images: 1 }),
    });
    const read = await readAll(rig.gateway, response);
    expect(read.text === picture + last).toBe(true);
    expect(read.record).toMatchObject({ end: 'whole', usage: { prompt: 5, completion: 7, source: 'reported' } });
  });

  it.each([
    ['HTML', 500, 'text/html', '<h1>Internal error</h1>', 'Internal error'],
    ['an event stream', 503, 'text/event-stream', 'data: {"error":{"message":"busy"}}\n\n', 'busy'],
    ['an empty body', 500, 'text/plain', '', 'no error message'],
  ])('with an error in %s is converted to an error object with the same status', async (_name, status, type, body, message) => {
    rig.wire.script = (socket) => writeAll(socket, completeResponse(status, type, body));
    const response = await rig.sendAndRead(chat, onA);
    expect([response.status, response.headers.get('content-type'), response.headers.get('x-gateway-error-source')]).toEqual([
      status,
      'application/json',
      'provider',
    ]);
    expect(errorOf(response.text).message).toContain(message);
    expect(response.record).toMatchObject({ end: 'fault', status, error: { code: 'provider_error', source: 'provider' } });
  });

  it('with an error object is forwarded, and the record has its message', async () => {
    rig.wire.script = (socket) =>
      writeAll(socket, completeResponse(400, json, '{"error":{"message":"no such model","type":"t","code":"c"}}'));
    const response = await rig.sendAndRead(chat, onA);
    expect([response.status, errorOf(response.text).message]).toEqual([400, 'no such model']);
    expect(response.record).toMatchObject({
      end: 'fault',
      error: { code: 'provider_error', source: 'provider', message: 'no such model' },
    });
  });
});

describe('a response too large to buffer', () => {
  const size = 64 * 1024 * 1024;
  const start = '{"id":"1","data":"';
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterEach(() => rig.expectQuiet());
  afterAll(() => rig.close());

  /** Writes as fast as the peer reads; stops at the end or if the peer disconnects. */
  async function writeBytes(socket: Socket, bytes: number, end: string): Promise<void> {
    const block = Buffer.alloc(64 * 1024, 'x');
    for (let remaining = bytes; remaining > 0 && !socket.destroyed; remaining -= block.length) {
      if (!socket.write(block)) await drained(socket);
    }
    if (!socket.destroyed) socket.write(end);
  }

  it('is forwarded with backpressure if the client does not read', async () => {
    let upstream: Socket | undefined;
    rig.wire.script = async (socket) => {
      upstream = socket;
      await writeAll(socket, head(200, { 'content-type': json, 'content-length': start.length + size + 2 }), start);
      await writeBytes(socket, size, '"}');
    };
    const response = await rig.send();
    const bytesTaken = await waitUntilStable(() => upstream?.bytesWritten ?? 0);
    expect(bytesTaken).toBeGreaterThan(1024 * 1024);
    expect(bytesTaken, 'bytes on the way while nobody reads').toBeLessThan(size / 2);
    let length = 0;
    for await (const part of response.body ?? []) length += (part as Uint8Array).length;
    expect(length).toBe(start.length + size + 2);
    expect(await rig.gateway.record(response.headers.get('x-request-id'))).toMatchObject({
      end: 'whole',
      status: 200,
      bytes: { out: length },
    });
  });

  it('that is interrupted is truncated for the client too', async () => {
    rig.wire.script = async (socket) => {
      await writeAll(socket, head(200, { 'content-type': json, 'content-length': start.length + size + 2 }), start);
      await writeBytes(socket, 4 * 1024 * 1024, '');
      socket.destroy();
    };
    const response = await rig.sendAndRead(chat, onPair);
    expect([response.status, response.isTruncated]).toEqual([200, true]);
    expect(response.record).toMatchObject({ end: 'fault', status: 200, error: { code: 'stream_interrupted', source: 'provider' } });
    expect(outcomes(response.record)).toEqual(['a answered 200']);
  });

  it.each(['\n', '\r\n\t '])('is complete if its white space %j after the JSON arrives alone', async (space) => {
    const text = `${start}${'x'.repeat(2 * 1024 * 1024)}"}`;
    rig.wire.script = async (socket) => {
      await writeAll(socket, head(200, { ...chunked, 'content-type': json }), piece(text));
      await waitUntilStable(() => socket.bytesWritten);
      await writeAll(socket, piece(space), lastPiece);
    };
    const response = await rig.sendAndRead(chat, onA);
    expect([response.text === text + space, response.isTruncated]).toEqual([true, false]);
    expect(response.record).toMatchObject({ end: 'whole', error: null });
  });

  it('that ends without closing its JSON is truncated for the client too', async () => {
    rig.wire.script = async (socket) => {
      await writeAll(socket, head(200, { 'content-type': json, connection: 'close' }), start);
      await writeBytes(socket, 4 * 1024 * 1024, '');
      socket.end();
    };
    const response = await rig.sendAndRead(chat, onA);
    expect([response.isTruncated, response.record.end, response.record.error?.code]).toEqual([true, 'fault', 'stream_interrupted']);
  });

  it('is streamed with backpressure if the client does not read', async () => {
    const event = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'x'.repeat(8_000) }, finish_reason: null }] })}\n\n`;
    const eventCount = Math.ceil(size / event.length);
    let upstream: Socket | undefined;
    rig.wire.script = async (socket) => {
      upstream = socket;
      await writeAll(socket, head(200, { 'content-type': 'text/event-stream', connection: 'close' }));
      for (let n = 0; n < eventCount && !socket.destroyed; n += 1) {
        if (!socket.write(event)) await drained(socket);
      }
      socket.end(chunks().slice(1).join(''));
    };
    const response = await rig.send(streamed);
    const bytesTaken = await waitUntilStable(() => upstream?.bytesWritten ?? 0);
    expect(bytesTaken).toBeLessThan(size / 2);
    let length = 0;
    for await (const part of response.body ?? []) length += (part as Uint8Array).length;
    expect(length).toBe(eventCount * event.length + chunks().slice(1).join('').length);
    expect(await rig.gateway.record(response.headers.get('x-request-id'))).toMatchObject({ end: 'whole', finish: ['stop'] });
  });
});

describe('a stream that never ends', () => {
  const event = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'x'.repeat(8_000) }, finish_reason: null }] })}\n\n`;
  let rig: Rig | undefined;
  let upstream: Socket | undefined;
  afterEach(() => rig?.close());

  /** Writes events as fast as they are read, until the peer disconnects. */
  const play =
    (start: string) =>
    async (socket: Socket): Promise<void> => {
      upstream = socket;
      await writeAll(socket, head(200, { 'content-type': 'text/event-stream', connection: 'close' }), start);
      while (!socket.destroyed) if (!socket.write(event)) await drained(socket);
    };

  it('is cancelled after its end mark', async () => {
    rig = await startRig();
    rig.wire.script = play(stream);
    const response = await rig.sendAndRead(streamed, onA);
    expect([response.status, response.isTruncated, response.record.end, response.text.startsWith(stream)]).toEqual([
      200,
      false,
      'whole',
      true,
    ]);
    expect(response.text.length).toBeLessThan(256 * 1024);
  });

  it('waits while a plugin inspects its head', async () => {
    const pluginSource = `export default {name: 'looks', options: {type: 'object'}, setup: () => ({reply: () => new Promise((resolve) => { globalThis.looked = resolve; })})};`;
    const plugins = ['auth', 'virtual-key', { use: './looks.ts' }, 'routing', 'transform', 'fallback-retry'];
    rig = await startRig({ extraConfig: { plugins }, gateway: { files: { 'looks.ts': pluginSource } } });
    rig.wire.script = play('');
    const abortController = new AbortController();
    const pending = rig.send(streamed, onA, abortController.signal);
    const bytesTaken = await waitUntilStable(() => upstream?.bytesWritten ?? 0);
    (globalThis as unknown as { looked(): void }).looked();
    const response = await pending;
    await until(() => (upstream?.bytesWritten ?? 0) > bytesTaken, 'the stream to go on');
    abortController.abort();
    expect(response.status).toBe(200);
  });
});

/** Returns the value of a counter after it has not changed for many checks. */
async function waitUntilStable(count: () => number): Promise<number> {
  let last = -1;
  let still = 0;
  return until(() => {
    const now = count();
    still = now === last ? still + 1 : 0;
    last = now;
    return now > 0 && still > 50 ? now : undefined;
  }, 'the counter to stand still');
}
