import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { brokenJson, hostileValue, mutated } from './json-text.ts';
import type { Random } from './random.ts';
import type { RawResponse } from './raw-upstream.ts';
import { bodies, streams } from './samples.ts';

/** Generates an upstream response as bytes: from valid responses with one odd member to bytes that are not HTTP. */
export function anyResponse(random: Random): RawResponse {
  const dice = random.next();
  if (dice < 0.35) return jsonResponse(random);
  if (dice < 0.6) return streamResponse(random);
  if (dice < 0.7) return compressedResponse(random);
  if (dice < 0.9) return oddHead(random);
  return noHttp(random);
}

const goodStatuses: readonly string[] = ['200', '200', '200', '200', '200', '201', '202', '204', '205', '206'];
const otherStatuses: readonly string[] = [
  '000',
  '007',
  '099',
  '100',
  '101',
  '199',
  '300',
  '301',
  '304',
  '307',
  '400',
  '401',
  '403',
  '404',
  '408',
  '409',
  '413',
  '422',
  '429',
  '451',
  '499',
  '500',
  '502',
  '503',
  '529',
  '599',
  '600',
  '742',
  '999',
];
const types: readonly string[] = [
  'application/json',
  'application/json; charset=utf-8',
  'text/event-stream',
  'text/html',
  'text/plain',
  'application/octet-stream',
  'application/vnd.amazon.eventstream',
  'audio/mpeg',
  'application/jsonl',
  'multipart/byteranges; boundary=x',
  '',
  '; ;;',
  'TEXT/EVENT-STREAM',
];

const anyStatus = (random: Random): string => random.pick(random.chance(0.75) ? goodStatuses : otherStatuses);

function jsonResponse(random: Random): RawResponse {
  const text = mutated(random.pick(bodies), random, random.pick([0, 0.05, 0.2, 0.6]));
  const body = random.chance(0.1) ? brokenJson(text, random) : Buffer.from(text);
  return mutatedResponse(random, anyStatus(random), ['content-type', random.chance(0.85) ? 'application/json' : random.pick(types)], body);
}

function streamResponse(random: Random): RawResponse {
  const rate = random.pick([0, 0.03, 0.15]);
  const events = random.pick(streams).filter(() => !random.chance(rate));
  const line = random.pick(['\n', '\n', '\n', '\r\n', '\r']);
  const texts = events.map(([type, data]) => {
    const json = random.chance(rate)
      ? random.pick(['', '[DONE]', 'x', hostileValue(random), `${'y'.repeat(100_000)}`])
      : mutated(data, random, rate / 2);
    return `${type === undefined ? '' : `event: ${type}${line}`}data: ${json}${line}${random.chance(rate) ? `: comment${line}id: \0${line}` : ''}${line}`;
  });
  if (random.chance(0.7)) texts.push(`data: [DONE]${line}${line}`);
  if (random.chance(0.1)) texts.push(random.pick([`data: ${'z'.repeat(2_000_000)}`, 'data: {"a"', '\0\0\0', `data: x${line}`]));
  const type = random.chance(0.9) ? 'text/event-stream' : random.pick(types);
  return mutatedResponse(random, random.chance(0.9) ? '200' : anyStatus(random), ['content-type', type], Buffer.from(texts.join('')));
}

function compressedResponse(random: Random): RawResponse {
  const plain = random.chance(0.3) ? Buffer.alloc(5_000_000, ' ') : Buffer.from(mutated(random.pick(bodies), random, 0.05));
  const [encoding, packed] = random.pick([
    ['gzip', gzipSync(plain)],
    ['br', brotliCompressSync(plain, { params: { 1: 1 } })],
    ['deflate', deflateSync(plain)],
    ['zstd', zstdCompressSync(plain)],
    ['gzip', plain],
    ['br', random.bytes(100)],
    ['zstd', random.bytes(100)],
    ['gzip, gzip', gzipSync(gzipSync(plain))],
    ['unknown', plain],
    ['', plain],
  ] as const);
  const body = random.chance(0.3) ? packed.subarray(0, random.below(packed.length + 1)) : packed;
  return mutatedResponse(random, anyStatus(random), ['content-type', 'application/json', 'content-encoding', encoding], body);
}

/** A response with headers that no provider sends. */
function oddHead(random: Random): RawResponse {
  const body = Buffer.from(mutated(random.pick(bodies), random, 0.02));
  const oddHeader = random.one<readonly string[]>(
    () => ['x-long', 'a'.repeat(random.pick([1000, 15_000, 40_000, 200_000]))],
    () => Array.from({ length: random.pick([50, 500, 3000]) }, (_, n) => [`x-h-${n}`, 'v']).flat(),
    () => ['content-length', '1', 'content-length', '2'],
    () => ['content-length', '-1'],
    () => ['content-length', '99999999999999999999'],
    () => ['content-length', `${body.length + 5}`],
    () => ['content-length', `${Math.max(0, body.length - 5)}`],
    () => ['transfer-encoding', 'chunked', 'content-length', '3'],
    () => ['transfer-encoding', 'gzip, chunked'],
    () => ['transfer-encoding', 'identity'],
    () => ['connection', 'close, x-secret', 'x-secret', '1'],
    () => ['connection', 'upgrade', 'upgrade', 'h2c'],
    () => ['retry-after', random.pick(['-1', '1e9', 'x', '', 'Wed, 21 Oct 2099 07:28:00 GMT', '0'])],
    () => ['x-ratelimit-reset-requests', '\xff\xfe'],
    () => ['x-utf8', Buffer.from('文字').toString('latin1')],
    () => ['x-gateway-model', 'forged'],
    () => ['set-cookie', 'a=b', 'set-cookie', 'c=d'],
    () => ['content-type', 'text/html', 'content-type', 'application/json'],
    () => ['x-request-id', 'x'.repeat(10_000)],
    () => ['trailer', 'x-t'],
    () => ['location', 'http://127.0.0.1:1/'],
    () => ['x-tab', '\ta\t b '],
    () => ['__proto__', 'x', 'constructor', 'y', 'hasownproperty', 'z'],
  );
  return mutatedResponse(random, anyStatus(random), ['content-type', 'application/json', ...oddHeader], body);
}

function noHttp(random: Random): RawResponse {
  const ok = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
  const text = random.pick([
    '',
    'x',
    'HTTP/1.1 200',
    'HTTP/0.9 200 OK\r\n\r\n',
    'HTTP/2.0 200 OK\r\n\r\n',
    'HTTP/1.1 20 OK\r\n\r\n',
    'HTTP/1.1 2000 OK\r\n\r\n',
    'HTTP/1.1 abc OK\r\n\r\n',
    `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)}${ok}content-length: 2\r\n\r\n{}`,
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n\x81\x02hi',
    `${ok}x-bad: a\0b\r\n\r\n{}`,
    `${ok}x bad: a\r\n\r\n{}`,
    `${ok}: nameless\r\n\r\n{}`,
    `${ok}x-folded: a\r\n b\r\ncontent-length: 2\r\n\r\n{}`,
    `${ok}content-length: 2\n\n{}`,
    `${ok}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\n\r\n2;ext=${'e'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx-trailer: 1\r\n\0: 2\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}`,
    `${ok}content-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nunasked..`,
    `${ok}\r\n{}`,
  ]);
  const bytes = random.chance(0.15) ? random.bytes(random.below(500)) : Buffer.from(text, 'latin1');
  return { pieces: split(bytes, random), then: random.pick(['end', 'end', 'reset', 'keep']) };
}

/** Frames the body by a length, in chunks, or by closing the connection; sometimes truncates it. */
function mutatedResponse(random: Random, status: string, headers: readonly string[], body: Buffer): RawResponse {
  const isOwnFraming = headers.includes('content-length') || headers.includes('transfer-encoding');
  const framing = isOwnFraming ? 'own' : random.pick(['length', 'length', 'chunks', 'closing'] as const);
  const pairs = [...headers];
  if (framing === 'length') pairs.push('content-length', `${body.length}`);
  if (framing === 'chunks') pairs.push('transfer-encoding', 'chunked');
  let lines = '';
  for (let i = 0; i + 1 < pairs.length; i += 2) lines += `${pairs[i]}: ${pairs[i + 1]}\r\n`;
  const head = Buffer.from(`HTTP/1.1 ${status} ${random.pick(['OK', '', 'Non\xffsense'])}\r\n${lines}\r\n`, 'latin1');
  const sent = framing === 'chunks' ? chunked(body, random) : body;
  const allBytes = Buffer.concat([head, sent]);
  const isCut = random.chance(0.08);
  const bytes = isCut ? allBytes.subarray(0, random.below(allBytes.length)) : allBytes;
  const then =
    isCut || framing === 'closing'
      ? random.pick(['end', 'end', 'reset'] as const)
      : framing === 'own'
        ? 'end'
        : random.pick(['keep', 'end'] as const);
  return { pieces: split(bytes, random), then };
}

function chunked(body: Buffer, random: Random): Buffer {
  const parts = split(body, random)
    .filter((part) => part.length > 0)
    .map((part) => Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]));
  return Buffer.concat([...parts, Buffer.from(random.chance(0.9) ? '0\r\n\r\n' : '0\r\nx-t: \xff\r\n\r\n', 'latin1')]);
}

function split(bytes: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  let rest = bytes;
  for (let n = random.below(4); n > 0 && rest.length > 0; n -= 1) {
    const at = random.below(rest.length);
    pieces.push(rest.subarray(0, at));
    rest = rest.subarray(at);
  }
  return [...pieces, rest];
}
