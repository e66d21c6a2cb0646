import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chunks, completion, deadPort } from '../support/upstream.ts';
import { chat, contentOf, errorOf, onA, onPair, outcomes, type Rig, startRig, streamed } from './rig.ts';
import { chunked, drained, head, lastPiece, piece, schemes, writeAll, completeResponse } from './wire.ts';

/** Invalid responses of providers and of proxies in front of them. */

interface Fault {
  readonly name: string;
  play(socket: Socket): Promise<void> | void;
  readonly status?: number;
  readonly code: string;
  /** Code in the response body if the provider sends its own. */
  readonly shows?: string;
  readonly outcome: string;
  readonly pattern: RegExp;
}

const completionText = JSON.stringify(completion('from a'));
const jsonType = 'application/json';
const unreachable = { code: 'upstream_unreachable', outcome: 'a unreachable' } as const;
const faulty = { code: 'upstream_invalid', outcome: 'a faulty' } as const;
/** An error object instead of a response. */
const reported = { code: 'provider_error', shows: 'engine', status: 500, outcome: 'a faulty' } as const;
const errorObject = JSON.stringify({ error: { message: 'the engine is on fire', type: 'server_error', code: 'engine' } });
const reset = (socket: Socket): void => void socket.resetAndDestroy();
const [role = '', ...texts] = chunks('one ', 'two');
const doneMark = 'data: [DONE]\n\n';
const filter = 'data: {"choices":[],"prompt_filter_results":[]}\n\n';

/** Writes a string that never ends, as fast as the peer reads it. */
async function endless(socket: Socket, first: string): Promise<void> {
  await writeAll(socket, first, piece('{"id":"'));
  const chunk = piece('x'.repeat(64 * 1024));
  while (!socket.destroyed) if (!socket.write(chunk)) await drained(socket);
}

const wholeFaults: readonly Fault[] = [
  { name: 'a reset before the head', play: reset, ...unreachable, pattern: /connection (?:reset|closed)/ },
  { name: 'a close before the head', play: (socket) => void socket.end(), ...unreachable, pattern: /connection closed/ },
  {
    name: 'a reset in the head',
    play: async (socket) => (await writeAll(socket, 'HTTP/1.1 200 OK\r\ncontent-ty'), reset(socket)),
    ...unreachable,
    pattern: /connection (?:reset|closed)/,
  },
  {
    name: 'something that is not HTTP',
    play: async (socket) => (await writeAll(socket, 'SSH-2.0-OpenSSH_9.6\r\n'), void socket.end()),
    ...faulty,
    pattern: /not valid HTTP/,
  },
  {
    name: 'two lengths',
    play: (socket) => writeAll(socket, head(200, { 'content-type': jsonType, 'Content-Length': 1, 'content-length': 1 }), '{'),
    ...faulty,
    pattern: /not valid HTTP/,
  },
  {
    name: 'an invalid length',
    play: (socket) => writeAll(socket, head(200, { 'content-type': jsonType, 'content-length': -1 }), completionText),
    ...faulty,
    pattern: /not valid HTTP/,
  },
  {
    name: 'a head that is too large',
    play: (socket) => writeAll(socket, head(200, { 'content-type': jsonType, 'x-large': 'x'.repeat(200_000) })),
    ...faulty,
    pattern: /headers/,
  },
  {
    name: 'a reset in the body',
    play: async (socket) => (
      await writeAll(socket, head(200, { 'content-type': jsonType, 'content-length': completionText.length }), completionText.slice(0, 50)),
      reset(socket)
    ),
    ...faulty,
    pattern: /broke before the response was complete \(connection (?:reset|closed)\)/,
  },
  {
    name: 'HTML with 200',
    play: (socket) => writeAll(socket, completeResponse(200, 'text/html', '<html><body>Bad gateway</body></html>')),
    ...faulty,
    pattern: /HTML page/,
  },
  {
    name: 'HTML with a JSON content type',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, '<html></html>')),
    ...faulty,
    pattern: /not complete JSON/,
  },
  ...[204, 205].map(
    (status): Fault => ({
      name: `the status ${status}`,
      play: (socket) => writeAll(socket, status === 204 ? head(204) : completeResponse(205, jsonType, '')),
      ...faulty,
      pattern: new RegExp(`returned ${status} without content`),
    }),
  ),
  ...[304, 307, 600, 999].map(
    (status): Fault => ({
      name: `the status ${status}`,
      play: (socket) => writeAll(socket, completeResponse(status, jsonType, status === 304 ? '' : completionText)),
      ...faulty,
      pattern: new RegExp(`${status}`),
    }),
  ),
  {
    name: 'an invalid number',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, completionText.replace(/"created":\d+/, '"created":NaN'))),
    ...faulty,
    pattern: /not (?:a JSON object|complete JSON)/,
  },
  {
    name: 'a missing comma deep inside',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, completionText.replace(/("role":"assistant"),/, '$1 '))),
    ...faulty,
    pattern: /not (?:a JSON object|complete JSON)/,
  },
  {
    name: 'two values',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, completionText + completionText)),
    ...faulty,
    pattern: /not complete JSON/,
  },
  {
    name: 'a line without an end',
    play: (socket) =>
      endless(socket, head(200, { 'content-type': jsonType, 'content-encoding': 'identity', 'transfer-encoding': 'chunked' })),
    ...faulty,
    pattern: /larger than the limit of 2 ?MB \(server\.max_answer\)|too large/,
  },
  ...[200, 202].map((status) => ({
    name: `an empty body with ${status}`,
    play: (socket: Socket) => writeAll(socket, completeResponse(status, jsonType, '')),
    ...faulty,
    pattern: new RegExp(`returned ${status} with an empty body`),
  })),
  {
    name: 'white space with 200',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, ' \n ')),
    ...faulty,
    pattern: /not complete JSON/,
  },
  ...[errorObject, `\uFEFF${errorObject}`].map(
    (text): Fault => ({
      name: `an error object with 200${text === errorObject ? '' : ' and a byte order mark'}`,
      play: (socket) => writeAll(socket, completeResponse(200, jsonType, text)),
      ...reported,
      pattern: /the engine is on fire/,
    }),
  ),
  {
    name: 'JSON shorter than its content-length',
    play: async (socket) => (
      await writeAll(socket, head(200, { 'content-type': jsonType, 'content-length': completionText.length + 10 }), completionText),
      void socket.end()
    ),
    ...faulty,
    pattern: /broke before the response was complete/,
  },
  {
    name: 'JSON longer than its content-length',
    play: async (socket) => (
      await writeAll(socket, head(200, { 'content-type': jsonType, 'content-length': completionText.length - 10 }) + completionText),
      void socket.end()
    ),
    ...faulty,
    pattern: /not complete JSON|broke before/,
  },
  {
    name: 'truncated JSON with its own content-length',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, completionText.slice(0, 60))),
    ...faulty,
    pattern: /not complete JSON/,
  },
  {
    name: 'truncated JSON without content-length',
    play: async (socket) => (
      await writeAll(socket, head(200, { 'content-type': jsonType, connection: 'close' }), completionText.slice(0, 60)), void socket.end()
    ),
    ...faulty,
    pattern: /not complete JSON/,
  },
  {
    name: 'two JSON values',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, `${completionText}${completionText}`)),
    ...faulty,
    pattern: /not complete JSON/,
  },
  {
    name: 'a truncated chunked body',
    play: async (socket) => (
      await writeAll(socket, head(200, { 'content-type': jsonType, 'transfer-encoding': 'chunked' }), piece(completionText)),
      void socket.end()
    ),
    ...faulty,
    pattern: /broke before/,
  },
  {
    name: 'an invalid chunk size',
    play: (socket) => writeAll(socket, head(200, { 'content-type': jsonType, 'transfer-encoding': 'chunked' }), 'zz\r\n'),
    ...faulty,
    pattern: /broke before|not valid HTTP/,
  },
  {
    name: 'invalid gzip',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, completionText, { 'content-encoding': 'gzip' })),
    ...faulty,
    pattern: /could not be decompressed \(gzip\)/,
  },
  {
    name: 'truncated gzip',
    play: (socket) =>
      writeAll(socket, completeResponse(200, jsonType, gzipSync(completionText).subarray(0, 40), { 'content-encoding': 'gzip' })),
    ...faulty,
    pattern: /could not be decompressed/,
  },
  {
    name: 'an unknown encoding',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, completionText, { 'content-encoding': 'lzma' })),
    ...faulty,
    pattern: /unknown content-encoding "lzma"/,
  },
  {
    name: 'a decompression bomb',
    play: (socket) =>
      writeAll(socket, completeResponse(200, jsonType, gzipSync(`"${'a'.repeat(80 * 1024 * 1024)}"`), { 'content-encoding': 'gzip' })),
    ...faulty,
    pattern: /larger than 2 ?MB when it is decompressed \(gzip\)/,
  },
  ...Object.entries({ gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync, deflate: deflateSync }).flatMap(
    ([coding, compress]): Fault[] => [
      {
        name: `${coding} of millions of objects`,
        play: (socket) =>
          writeAll(socket, completeResponse(200, jsonType, compress(`[${'{},'.repeat(600_000)}{}]`), { 'content-encoding': coding })),
        ...faulty,
        pattern: /too complex\. The JSON has more than 500000 members/,
      },
    ],
  ),
  {
    name: 'a nested decompression bomb',
    play: (socket) =>
      writeAll(
        socket,
        completeResponse(200, jsonType, gzipSync(gzipSync(`"${'a'.repeat(80 * 1024 * 1024)}"`)), { 'content-encoding': 'gzip, gzip' }),
      ),
    ...faulty,
    pattern: /larger than 2 ?MB when it is decompressed/,
  },
  {
    name: 'many content codings',
    play: (socket) =>
      writeAll(
        socket,
        completeResponse(200, jsonType, completionText, { 'content-encoding': Array.from({ length: 500 }, () => 'gzip').join() }),
      ),
    ...faulty,
    pattern: /unknown content-encoding "gzip, gzip, gzip"/,
  },
  {
    name: 'deeply nested JSON',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, `${'['.repeat(5000)}${']'.repeat(5000)}`)),
    ...faulty,
    pattern: /too complex\. The JSON is nested more than 128 levels deep at position 128/,
  },
  {
    name: 'a redirect',
    play: (socket) => writeAll(socket, completeResponse(307, 'text/plain', '', { location: 'http://127.0.0.1:1/' })),
    ...faulty,
    pattern: /redirect \(307\)/,
  },
  {
    name: 'an HTML page of 2 MB',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, `<html>${'x'.repeat(2_000_000)}</html>`)),
    ...faulty,
    pattern: /not JSON/,
  },
];

const streamFaults: readonly Fault[] = [
  { name: 'a reset before the head', play: reset, ...unreachable, pattern: /connection (?:reset|closed)/ },
  {
    name: 'a reset after the head',
    play: async (socket) => (await writeAll(socket, head(200, chunked)), reset(socket)),
    ...faulty,
    pattern: /broke before/,
  },
  {
    name: 'a reset after events without content',
    play: async (socket) => (await writeAll(socket, head(200, chunked), piece(filter + role)), reset(socket)),
    ...faulty,
    pattern: /broke before/,
  },
  {
    name: 'an end after events without content',
    play: (socket) => writeAll(socket, head(200, chunked), piece(filter + role), lastPiece),
    ...faulty,
    pattern: /empty stream/,
  },
  {
    name: 'a stream without an event',
    play: (socket) => writeAll(socket, head(200, chunked), lastPiece),
    ...faulty,
    pattern: /empty stream/,
  },
  {
    name: 'only comments',
    play: (socket) => writeAll(socket, head(200, chunked), piece(': ping\n\n: ping\n\n'), lastPiece),
    ...faulty,
    pattern: /empty stream/,
  },
  {
    name: 'only the end mark',
    play: (socket) => writeAll(socket, head(200, chunked), piece(doneMark), lastPiece),
    ...faulty,
    pattern: /empty stream/,
  },
  {
    name: 'half an event',
    play: (socket) => writeAll(socket, head(200, chunked), piece('data: {"choices":[{"ind'), lastPiece),
    ...faulty,
    pattern: /empty stream/,
  },
  {
    name: 'an error as the first event',
    play: (socket) => writeAll(socket, head(200, chunked), piece(`data: ${errorObject}\n\n`), lastPiece),
    ...reported,
    pattern: /^the engine is on fire$/,
  },
  {
    name: 'an error after the role',
    play: (socket) => writeAll(socket, head(200, chunked), piece(role), piece(`data: ${errorObject}\n\n`), piece(doneMark), lastPiece),
    ...reported,
    pattern: /the engine is on fire/,
  },
  {
    name: 'HTML',
    play: (socket) => writeAll(socket, completeResponse(200, 'text/html', '<html></html>')),
    ...faulty,
    pattern: /"text\/html" although a stream was requested/,
  },
  {
    name: 'an error object with 200',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, errorObject)),
    ...reported,
    pattern: /the engine is on fire/,
  },
  {
    name: 'an error object in a later member',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, `{"result":${errorObject}}`)),
    ...faulty,
    pattern: /is not a JSON object|could not be converted to a stream/,
  },
  {
    name: 'a truncated error object',
    play: (socket) => writeAll(socket, completeResponse(200, jsonType, errorObject.slice(0, -10))),
    ...faulty,
    pattern: /^The response of provider "a" is not complete JSON \(\d+ bytes, content-type "application\/json"\)/,
  },
  {
    name: 'a compressed stream',
    play: (socket) => writeAll(socket, head(200, { ...chunked, 'content-encoding': 'gzip' }), piece(gzipSync(role)), lastPiece),
    ...faulty,
    pattern: /compressed a stream/,
  },
  ...['data: not json', 'data: {"id":', 'data: {"choices":[}', 'data: {"id":"x"'].map(
    (line): Fault => ({
      name: `the event ${line}`,
      play: (socket) => writeAll(socket, head(200, chunked), piece(role), piece(`${line}\n\n`), piece(texts.join('')), lastPiece),
      ...faulty,
      pattern: /an event that is not a JSON object/,
    }),
  ),
  { name: 'the status 204', play: (socket) => writeAll(socket, head(204)), ...faulty, pattern: /204/ },
  { name: 'the status 600', play: (socket) => writeAll(socket, head(600, chunked), piece(role), lastPiece), ...faulty, pattern: /600/ },
  {
    name: 'an empty response',
    play: (socket) => writeAll(socket, completeResponse(200, 'text/plain', '')),
    ...faulty,
    pattern: /stream was requested|empty/,
  },
];

/** Faults after the first text: the client has status 200 and gets the error in the stream. */
const brokenStreams: readonly (Pick<Fault, 'name' | 'play' | 'pattern' | 'code'> & { readonly passes?: boolean })[] = [
  {
    name: 'a reset',
    play: async (socket) => (await writeAll(socket, head(200, chunked), piece(role), piece(texts[0] ?? '')), reset(socket)),
    code: 'stream_interrupted',
    pattern: /broke in the middle of the response \(connection (?:reset|closed)\)/,
  },
  {
    name: 'an early end',
    play: (socket) => writeAll(socket, head(200, chunked), piece(role), piece(texts[0] ?? ''), lastPiece),
    code: 'stream_interrupted',
    pattern: /closed the stream before its end/,
  },
  {
    name: 'a truncated chunked body',
    play: async (socket) => (await writeAll(socket, head(200, chunked), piece(role), piece(texts[0] ?? '')), void socket.end()),
    code: 'stream_interrupted',
    pattern: /broke in the middle of the response \(connection closed\)/,
  },
  {
    name: 'an end in the middle of an event',
    play: (socket) => writeAll(socket, head(200, chunked), piece(role), piece(`${texts[0] ?? ''}data: {"cho`), lastPiece),
    code: 'stream_interrupted',
    pattern: /closed the stream before its end/,
  },
  ...['data: not json', 'data: {"id":', 'data: {"choices":[}', 'data: {"id":"x"', 'event: x\ndata: <html>', 'data: null', 'data: []'].map(
    (line): (typeof brokenStreams)[number] => ({
      name: `the event ${line}`,
      play: (socket) =>
        writeAll(socket, head(200, chunked), piece(role), piece(`${texts[0] ?? ''}${line}\n\n${texts[1] ?? ''}`), lastPiece),
      code: 'upstream_invalid',
      pattern: /an event that is not a JSON object/,
    }),
  ),
  {
    name: 'an event that is not JSON, byte by byte',
    play: async (socket) => {
      await writeAll(socket, head(200, chunked), piece(role), piece(texts[0] ?? ''));
      for (const letter of `data: {"id":\n\n${texts[1] ?? ''}`) await writeAll(socket, piece(letter));
      await writeAll(socket, lastPiece);
    },
    code: 'upstream_invalid',
    pattern: /an event that is not a JSON object/,
  },
  {
    name: 'a close without a length',
    play: async (socket) => (
      await writeAll(socket, head(200, { 'content-type': 'text/event-stream', connection: 'close' }), role + (texts[0] ?? '')),
      void socket.end()
    ),
    code: 'stream_interrupted',
    pattern: /closed the stream before its end/,
  },
];

describe.each(schemes)('a provider that fails before the first byte, over %s', (scheme) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ server: { max_answer: '2MB' }, wire: { scheme } });
  });
  afterEach(() => rig.expectQuiet());
  afterAll(() => rig.close());

  describe.each([
    ['whole', chat, wholeFaults],
    ['streamed', streamed, streamFaults],
  ] as const)('with a %s response requested', (_kind, body, faults) => {
    it.each(faults)('returns an error for $name', async ({ play, code, shows, status = 502, outcome, pattern }) => {
      // On a keep-alive connection, a reset would only mean that it was closed before.
      if (outcome === 'a unreachable') await rig.forgetConnections();
      rig.wire.script = play;
      const response = await rig.sendAndRead(body, onA);
      const error = errorOf(response.text);
      expect([response.status, error.code, response.isTruncated]).toEqual([status, shows ?? code, false]);
      expect(error.message).toMatch(pattern);
      if (code === 'upstream_invalid')
        expect(error.message).toMatch(/^(?:Provider "a"(?::| returned| sent| compressed)|The \w+ of provider "a" )/);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.record).toMatchObject({ end: 'fault', status, error: { code, source: 'provider', message: error.message } });
      expect(outcomes(response.record)).toEqual([outcome]);
    });

    it.each(faults)('falls back to the next target after $name', async ({ play, outcome }) => {
      // A request that fails on a keep-alive connection may be retried.
      if (outcome === unreachable.outcome) await rig.forgetConnections();
      rig.wire.script = play;
      const response = await rig.sendAndRead(body, onPair);
      expect([response.status, response.headers.get('x-gateway-provider')]).toEqual([200, 'b']);
      if (body === chat) expect(JSON.parse(response.text)).toEqual(completion('from b'));
      else expect(response.text).toBe(chunks('from b').join(''));
      expect(response.record).toMatchObject({ end: 'whole', status: 200, error: null, provider: 'b' });
      expect(outcomes(response.record)).toEqual([outcome, 'b answered 200']);
    });
  });
});

describe('an unreachable provider', () => {
  let rig: Rig;
  beforeAll(async () => {
    const at = (host: string): object => ({ type: 'openai', api_key: 'sk-key-of-nobody-0123', custom_host: `http://${host}/v1` });
    rig = await startRig({
      providers: { refused: at(`127.0.0.1:${await deadPort()}`), nowhere: at('name.invalid') },
      configs: { all: { strategy: { mode: 'fallback' }, targets: [{ provider: 'refused' }, { provider: 'nowhere' }, { provider: 'b' }] } },
    });
  });
  afterEach(() => rig.expectQuiet());
  afterAll(() => rig.close());

  it.each([
    ['refused', /connection refused/],
    ['nowhere', /does not resolve|name resolution failed/],
  ])('%s: returns 502 with the reason', async (slug, message) => {
    const response = await rig.sendAndRead(chat, { 'x-gateway-provider': `@${slug}` });
    expect([response.status, errorOf(response.text).code]).toEqual([502, 'upstream_unreachable']);
    expect(errorOf(response.text).message).toMatch(message);
    expect(outcomes(response.record)).toEqual([`${slug} unreachable`]);
  });

  it('is skipped by a fallback, twice in a row', async () => {
    const response = await rig.sendAndRead(streamed, { 'x-gateway-config': 'all' });
    expect(contentOf(response.events)).toBe('from b');
    expect(outcomes(response.record)).toEqual(['refused unreachable', 'nowhere unreachable', 'b answered 200']);
    expect(response.headers.get('x-gateway-last-used-option-index')).toBe('config.targets[2]');
  });
});

describe('a stream that begins with an error', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterEach(() => rig.expectQuiet());
  afterAll(() => rig.close());

  it.each([
    ['overloaded_error', null, 529],
    ['rate_limit_error', null, 429],
    ['requests', 'rate_limit_exceeded', 429],
    ['server_error', null, 500],
    [null, null, 502],
  ])('with type %s and code %s keeps the type and returns status %i', async (type, code, status) => {
    const event = `data: ${JSON.stringify({ error: { message: 'too much', type, code } })}\n\n`;
    rig.wire.script = (socket) => writeAll(socket, head(200, chunked), piece(role), piece(event), lastPiece);
    const response = await rig.sendAndRead(streamed, onA);
    const error = errorOf(response.text);
    expect([response.status, error.type]).toEqual([status, type ?? 'api_error']);
    expect(error.message).toMatch(/too much/);
    expect((await rig.sendAndRead(streamed, onPair)).status).toBe(200);
  });
});

describe('a response larger than server.max_answer', () => {
  it('is rejected for any limit', async () => {
    const rig = await startRig({ server: { max_answer: '100B' } });
    const body = JSON.stringify({ choices: [], text: 'x'.repeat(200) });
    rig.wire.script = (socket) => writeAll(socket, head(200, { 'content-type': jsonType, 'content-length': body.length }), body);
    const response = await rig.sendAndRead(chat, onPair);
    expect([response.status, response.text]).toEqual([502, expect.stringContaining('larger than the limit of 100 B (server.max_answer)')]);
    await rig.close();
  });

  it('is truncated if it was already forwarded, with the reason in the record', async () => {
    const rig = await startRig({ server: { max_answer: '3MB' } });
    rig.wire.script = (socket) => endless(socket, head(200, { 'content-type': jsonType, 'transfer-encoding': 'chunked' }));
    const response = await rig.sendAndRead(chat, onPair);
    expect([response.status, response.isTruncated]).toEqual([200, true]);
    expect(response.text.length).toBeLessThanOrEqual(3 * 1024 * 1024);
    expect(response.record).toMatchObject({ end: 'fault', error: { code: 'stream_interrupted' } });
    expect(response.record.error?.message).toMatch(/larger than the limit of 3 ?MB \(server\.max_answer\)/);
    await rig.expectQuiet();
    await rig.close();
  });
});

describe.each(schemes)('a stream that fails after content was sent, over %s', (scheme) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({
      wire: { scheme },
      configs: { again: { strategy: { mode: 'fallback' }, retry: { attempts: 3 }, targets: [{ provider: 'a' }, { provider: 'b' }] } },
    });
  });
  afterEach(() => rig.expectQuiet());
  afterAll(() => rig.close());

  it.each(brokenStreams)('by $name ends with an error event and is not retried', async ({ play, code, pattern }) => {
    const before = [rig.wire.requests.length, rig.healthy.requests.length] as const;
    rig.wire.script = play;
    const response = await rig.sendAndRead(streamed, { 'x-gateway-config': 'again' });
    expect([response.status, response.isTruncated, contentOf(response.events)]).toEqual([200, false, 'one ']);
    const error = errorOf(response.events.at(-1) ?? '');
    expect([error.code, error.type, error.param, error.gateway.request_id]).toEqual([code, 'upstream_error', null, response.record.id]);
    expect(error.message).toMatch(pattern);
    expect(response.text).not.toContain('[DONE]');
    expect(response.text.startsWith(role + (texts[0] ?? ''))).toBe(true);
    expect(response.text.endsWith('\n\n')).toBe(true);
    expect(response.record).toMatchObject({ end: 'fault', status: 200, error: { code, source: 'provider' } });
    expect(outcomes(response.record)).toEqual(['a answered 200']);
    expect([rig.wire.requests.length - before[0], rig.healthy.requests.length - before[1]]).toEqual([1, 0]);
  });

  it('by an error event of the provider ends with this event', async () => {
    const event = `event: error\ndata: ${errorObject}\n\n`;
    rig.wire.script = (socket) => writeAll(socket, head(200, chunked), piece(role + (texts[0] ?? '')), piece(event), lastPiece);
    const response = await rig.sendAndRead(streamed, { 'x-gateway-config': 'again' });
    expect(response.text).toBe(role + (texts[0] ?? '') + event);
    expect(response.record).toMatchObject({ end: 'fault', status: 200, error: { source: 'provider', message: 'the engine is on fire' } });
    expect(outcomes(response.record)).toEqual(['a answered 200']);
  });
});
