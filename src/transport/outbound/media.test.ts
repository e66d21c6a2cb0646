import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deadPort, type Script, type ScriptedUpstream, startUpstream } from '../../../test/support/upstream.ts';
import { MemoryBudget, MemoryReservation } from '../../core/memory/budget.ts';
import { createEgress } from './egress/egress.ts';
import { createMedia } from './media.ts';
import { createUpstream, type Upstream } from './upstream.ts';
import { turns } from '../../../test/support/time.ts';
import { TimerWheel } from '../wire/timer-wheel.ts';

let server: ScriptedUpstream;
let allow: readonly string[] = ['127.0.0.1'];
const egress = createEgress(() => allow);
let upstream: Upstream;

const file = (response: ServerResponse, bytes: Buffer, headers: Record<string, string> = { 'content-type': 'image/png' }): void => {
  response.writeHead(200, headers);
  response.end(bytes);
};
const sendPicture: Script = (response) => file(response, Buffer.from('picture'));

beforeAll(async () => {
  upstream = createUpstream({ wheel: new TimerWheel(), lookup: egress.lookup });
  server = await startUpstream(sendPicture);
});

afterEach(() => {
  allow = ['127.0.0.1'];
  server.script = sendPicture;
  server.requests.length = 0;
});

afterAll(async () => {
  await upstream.close();
  await server.close();
});

const fetchMedia = (urls: readonly string[], maxBytes = 1000, reservation = new MemoryReservation(new MemoryBudget(1_000_000_000))) =>
  createMedia({ upstream, checkEgress: egress.check })(
    urls.map((url) => ({ url, maxBytes })),
    reservation,
  );

const failure = async (url: string, maxBytes?: number): Promise<unknown> => fetchMedia([url], maxBytes).catch((error: unknown) => error);

describe('fetchMedia()', () => {
  it('downloads a file with its media type under the URL as written', async () => {
    server.script = (response) => file(response, Buffer.from('a picture'), { 'content-type': 'Image/PNG; charset=binary' });
    const url = `${server.url}/a%20b.png?sig=x#part`;
    const media = await fetchMedia([url]);
    expect([...media]).toEqual([[url, { mimeType: 'image/png', base64: Buffer.from('a picture').toString('base64') }]]);
    expect(server.requests.map((request) => request.url)).toEqual(['/a%20b.png?sig=x']);
  });

  it('sends no credential and no cookie of the request', async () => {
    await fetchMedia([`${server.url}/a.png`]);
    expect(Object.keys(server.requests[0]?.headers ?? {}).sort()).toEqual(['accept', 'connection', 'host', 'user-agent']);
  });

  it('returns an empty media type for a file without one', async () => {
    server.script = (response) => file(response, Buffer.from('x'), {});
    expect((await fetchMedia([`${server.url}/x`])).get(`${server.url}/x`)?.mimeType).toBe('');
  });

  it('downloads a file once if it is named twice', async () => {
    expect((await fetchMedia([`${server.url}/a`, `${server.url}/a`])).size).toBe(1);
    expect(server.requests).toHaveLength(1);
  });

  it('rejects more than 256 files without downloading any', async () => {
    const urls = Array.from({ length: 257 }, (_, i) => `${server.url}/${i}`);
    await expect(fetchMedia(urls)).rejects.toMatchObject({ code: 'media_fetch_failed', status: 400 });
    expect(server.requests).toHaveLength(0);
    expect((await fetchMedia([...urls.slice(1), urls[1] ?? ''])).size).toBe(256);
  });

  it('decompresses a file', async () => {
    server.script = (response) => file(response, gzipSync('text'), { 'content-encoding': 'gzip', 'content-type': 'text/plain' });
    expect([...(await fetchMedia([`${server.url}/a`])).values()]).toEqual([
      { mimeType: 'text/plain', base64: Buffer.from('text').toString('base64') },
    ]);
  });
});

it('fetchMedia() downloads four files at a time', async () => {
  let open = 0;
  let maxConcurrent = 0;
  const pendingResponses: (() => void)[] = [];
  server.script = async (response) => {
    maxConcurrent = Math.max(maxConcurrent, ++open);
    // Four downloads wait for each other, and a moment for a fifth.
    const fourPending = new Promise<void>((resolve) => pendingResponses.push(resolve));
    if (pendingResponses.length === 4) for (const release of pendingResponses.splice(0)) release();
    await fourPending;
    await turns();
    open -= 1;
    file(response, Buffer.from('x'));
  };
  const urls = Array.from({ length: 12 }, (_, n) => `${server.url}/${n}`);
  expect([...(await fetchMedia(urls)).keys()].sort()).toEqual([...urls].sort());
  expect(maxConcurrent).toBe(4);
});

const together = /is too large: all files of a request together may have 64 MB\.$/;

describe('fetchMedia() rejects with media_fetch_failed a file that', () => {
  const rows: readonly [name: string, script: Script, status: number, message: RegExp][] = [
    ['is missing', (response) => response.writeHead(404).end(), 400, /returned 404/],
    [
      'is behind a redirect',
      (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      400,
      /redirect \(302\); the gateway does not follow redirects/,
    ],
    ['is on a server that fails', (response) => response.writeHead(503).end(), 502, /returned 503/],
    ['is empty', (response) => file(response, Buffer.alloc(0)), 400, /is empty/],
    [
      'declares a size above the limit',
      (response) => file(response, Buffer.alloc(1001), { 'content-length': '1001' }),
      400,
      /larger than 1000 B/,
    ],
    [
      'exceeds the limit without a declared size',
      (response) => file(response, Buffer.alloc(1001), { 'transfer-encoding': 'chunked' }),
      400,
      /larger than 1000 B/,
    ],
    [
      'exceeds the limit after decompression',
      (response) => file(response, gzipSync(Buffer.alloc(1001)), { 'content-encoding': 'gzip' }),
      400,
      /larger than 1000 B/,
    ],
    [
      'breaks off during the download',
      (response) => (response.writeHead(200, { 'content-length': '10' }), response.write('x'), void response.socket?.destroy()),
      502,
      /connection (?:closed|reset)/,
    ],
  ];

  it.each(rows)('%s', async (_, script, status, message) => {
    server.script = script;
    const error = await failure(`${server.url}/a.png?signature=secret`);
    expect(error).toMatchObject({ code: 'media_fetch_failed', status, message: expect.stringMatching(message) as string });
    expect((error as Error).message).toContain(`"${server.url}/a.png"`);
    expect((error as Error).message).not.toContain('secret');
  });

  it('is on a server that does not listen', async () => {
    expect(await failure(`http://127.0.0.1:${await deadPort()}/a.png`)).toMatchObject({
      code: 'media_fetch_failed',
      status: 502,
      message: expect.stringMatching(/refused/) as string,
    });
  });

  it.each(['gs://bucket/a.png', 'file:///etc/passwd', 'ftp://a.example/a.png', 'nonsense', 'https://'])(
    'has the invalid URL %s',
    async (url) => {
      expect(await failure(url)).toMatchObject({ code: 'media_fetch_failed', status: 400 });
    },
  );

  it('exceeds the limit together with the other files', async () => {
    const block = Buffer.alloc(40 * 1024 * 1024);
    server.script = (response) => file(response, block);
    const error = await fetchMedia([`${server.url}/1`, `${server.url}/2`], 50 * 1024 * 1024).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'media_fetch_failed', message: expect.stringMatching(together) as string });
  });

  it.each<[name: string, (response: ServerResponse, bytes: Buffer) => void]>([
    ['plain', file],
    ['compressed', (response, bytes) => file(response, gzipSync(bytes), { 'content-encoding': 'gzip' })],
  ])('exceeds the rest of the total limit but not its own limit: %s', async (_, last) => {
    const megabyte = 1024 * 1024;
    // The last download starts after the four of 15 MB and one of 1 MB: 3 MB are left.
    const sizes = [15, 15, 15, 15, 1, 1, 1, 1, 10];
    let small = 0;
    server.script = async (response, { url }) => {
      const size = sizes[Number(url?.slice(1))] ?? 0;
      const bytes = Buffer.alloc(size * megabyte);
      if (size === 10) return last(response, bytes);
      if (size === 1) small += 1;
      while (size === 1 && small < 4) await turns();
      file(response, bytes);
    };
    const urls = sizes.map((_, at) => `${server.url}/${at}`);
    const error = await fetchMedia(urls, 30 * megabyte).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'media_fetch_failed', message: expect.stringMatching(together) as string });
  });
});

describe('fetchMedia() of an internal address', () => {
  it.each([
    'https://127.0.0.1/a.png',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/a.png',
    'https://localhost/a.png',
    'https://metadata.google.internal/a.png',
    'https://user@example.com/a.png',
    'https://0x7f.1/a.png',
    'http://93.184.216.34/a.png',
    'https:\\\\127.0.0.1/a.png',
  ])('sends no request: %s', async (url) => {
    allow = [];
    const error = await failure(url);
    expect(error).toHaveProperty('code', expect.stringMatching(/^(not_allowed|media_fetch_failed)$/));
    expect(server.requests).toEqual([]);
  });

  it('sends no request if a public name resolves to it', async () => {
    allow = [];
    const internalUpstream = createUpstream({
      wheel: new TimerWheel(),
      lookup: () => (hostname, options, callback) => egress.lookup('request')?.call(undefined, hostname, options, callback),
    });
    const media = createMedia({ upstream: internalUpstream, checkEgress: () => undefined });
    const reservation = new MemoryReservation(new MemoryBudget(1000));
    const error = await media([{ url: `http://localhost:${new URL(server.url).port}/a.png`, maxBytes: 10 }], reservation).catch(
      (caught: unknown) => caught,
    );
    await internalUpstream.close();
    expect(error).toMatchObject({ code: 'not_allowed' });
    expect(server.requests).toEqual([]);
  });
});

describe('memory of fetched files', () => {
  const large = Buffer.alloc(100_000, 'x');
  const replies: Record<string, Script> = {
    plain: (response) => file(response, large),
    'without a declared length': (response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      response.write(large);
      response.end();
    },
    compressed: (response) => file(response, gzipSync(large), { 'content-type': 'image/png', 'content-encoding': 'gzip' }),
  };

  it.each(Object.keys(replies))('counts against the budget for a file: %s', async (kind) => {
    server.script = replies[kind] ?? sendPicture;
    const budget = new MemoryBudget(1_000_000);
    const reservations = Array.from({ length: 3 }, () => new MemoryReservation(budget));
    const fetchInto = async (reservation: MemoryReservation | undefined): Promise<unknown> =>
      fetchMedia([`${server.url}/a.png`], 200_000, reservation).then(
        () => 'there',
        ({ code }: { code: string }) => code,
      );
    // Each file needs four times its size: there is room for two.
    expect([await fetchInto(reservations[0]), await fetchInto(reservations[1]), await fetchInto(reservations[2])]).toEqual([
      'there',
      'there',
      'overloaded',
    ]);
    expect(budget.used).toBeLessThanOrEqual(budget.limit);
    for (const reservation of reservations) reservation.close();
    expect(budget.used).toBe(0);
    expect(await fetchInto(new MemoryReservation(budget))).toBe('there');
    expect(await fetchInto(reservations[0])).toBe('overloaded');
  });
});
