import type { Random } from '../random.ts';

/** Valid and hostile requests, as text with one character per byte. */

const json = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';
const smuggled = 'GET /v1/models HTTP/1.1\r\nhost: smuggled\r\n\r\n';

const targets: readonly string[] = [
  '/v1/chat/completions',
  '/v1/chat/completions?a=b&c=%20',
  '/v1/chat/completions?api-key=secret&x=1',
  '/v1/embeddings',
  '/v1/messages',
  '/messages',
  '/v1/responses',
  '/v1/batches',
  '/openai/deployments/some/chat/completions?api-version=1',
];
const getTargets: readonly string[] = ['/v1/models', '/v1/responses/r-1', '/v1/files', '/v1/files/f-1/content', '/v1/batches/b%2F1'];
const oddTargets: readonly string[] = [
  '*',
  '/',
  '//v1/chat/completions',
  '/v1/chat//completions',
  '/v1/%63hat/completions',
  '/v1/../v1/chat/completions',
  '/v1/chat/completions#part',
  'http://other/v1/chat/completions',
  'https://other:80/v1/models?x',
  'other:443',
  '/v1/chat/completions\x80',
  '/v1/chat/completions?"<>\\^`{|}',
  '/v1/chat/completions?a b',
  '/v1/chat/completions\t',
  '/v1/files',
  '/v1/unknown',
  '/healthz',
  '/openapi.json',
  '',
  'v1/models',
];

const lengths = (size: number): readonly string[] => [
  `+${size}`,
  `-${size}`,
  `0${size}`,
  `${size} `,
  ` \t ${size}`,
  `${size} ${size}`,
  `${size}, ${size}`,
  `${size},${size + 1}`,
  `0x${size.toString(16)}`,
  `${size}.0`,
  `${size}e0`,
  `${size + 1}`,
  `${Math.max(0, size - 1)}`,
  `${size}_0`,
  '',
  '0',
  '00',
  '9007199254740992',
  '9007199254740993',
  '18446744073709551616',
  '99999999999999999999999',
  '999999999',
  '9999999999',
  `${size}\x00`,
  `${size}\x0b`,
];

const codings: readonly string[] = [
  'chunked',
  'Chunked',
  'CHUNKED',
  'chunked ',
  '\tchunked',
  'chunked, chunked',
  'gzip, chunked',
  'chunked, gzip',
  'identity',
  'identity, chunked',
  'xchunked',
  'chunkedx',
  '"chunked"',
  'chunked;q=1',
  ', chunked',
  'chunked,',
  '\x0bchunked',
  '',
];

const plainFields: readonly string[] = [
  'content-type: application/json',
  'Authorization: Bearer sk-0123456789',
  'accept: */*',
  'Accept-Encoding:gzip, br',
  'user-agent: OpenAI/JS 4.0',
  'x-gateway-provider: @a',
  'x-gateway-metadata: {"a":"b"}',
  'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'x-empty:',
  'x-blanks: \t a \t b \t ',
  'TE: trailers',
  'keep-alive: timeout=5',
  'cookie: a=b; c=d',
  'x-content-length: 5',
  'content-lengths: 5',
  "!#$%&'*+-.^_`|~0: token",
];
const oddFields: readonly string[] = [
  'x-fold: a\r\n b',
  'x-fold:\r\n\tb',
  'x-high: \x80\xff',
  'x-null: a\x00b',
  'x-control: a\x01b',
  'x-delete: a\x7fb',
  'x-cr: a\rb',
  'x-lf: a\nb',
  'x-lf: a\ncontent-length: 3',
  'x bad: a',
  'x-blank : a',
  ' x-first: a',
  '\tx-first: a',
  ': nameless',
  'colonless',
  'x\x00y: a',
  'x(y): a',
  'x\x80: a',
  'content-length : 5',
  'content-length\t: 5',
  'Content_Length: 5',
  'transfer-encoding : chunked',
  'transfer_encoding: chunked',
  'transfer-encoding\x00: chunked',
  '__proto__: x',
  'constructor: x',
  'authorization: a\r\nauthorization: b',
  'x-twice: a\r\nX-Twice: b',
  'set-cookie: a\r\nset-cookie: b',
  'expect: 100-continue',
  'Expect: something',
  'upgrade: h2c\r\nconnection: upgrade',
  'upgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13',
  'upgrade: h2c',
  'trailer: x-t',
  'proxy-connection: close',
  'proxy-connection: keep-alive',
  'http2-settings: AAMAAABkAAQAAP__',
  'content-encoding: identity',
  'x-gateway-metadata: {broken',
  'x-gateway-provder: @a',
  'origin: http://page.example',
];
const connections: readonly string[] = [
  'keep-alive',
  'Keep-Alive',
  'close',
  'CLOSE',
  'close, keep-alive',
  'keep-alive, x-secret',
  'upgrade',
  'te',
  'close ',
  'closed',
  '',
  'x-first\r\nconnection: close',
];
const hosts: readonly string[] = [
  'a b',
  'a,b',
  'a/b',
  'a@b',
  '',
  ' ',
  '[::1]',
  '[::1]:80',
  '[::1',
  'x:999999',
  'x:',
  'ä',
  'A.Example:8787',
  '127.0.0.1',
  'a\r\nhost: b',
  'a\r\nHOST: a',
];
const versions: readonly string[] = [
  'HTTP/1.0',
  'HTTP/1.2',
  'HTTP/2.0',
  'HTTP/0.9',
  'http/1.1',
  'HTTP/1.1 ',
  ' HTTP/1.1',
  'HTTP/1.10',
  'HTTP/1',
  'HTTPS/1.1',
  'RTSP/1.1',
  '',
];
const methods: readonly string[] = [
  'PUT',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'CONNECT',
  'TRACE',
  'post',
  'POST ',
  'PRI',
  'M-SEARCH',
  'POS',
  'XPOST',
  '',
  '\r\nPOST',
  '\nPOST',
];
const breaks: readonly string[] = ['\n', '\r', '\r\r\n', '\n\r', '\r\n\r\n', ' \r\n', '\0\r\n'];
const responseModes: readonly string[] = ['later', 'early', 'stream', 'empty', 'stream later', 'early later', 'early stream'];

/** Generates one complete message. @param oddProbability probability of each deviation */
export function message(random: Random, oddProbability: number): string {
  const isOdd = (): boolean => random.chance(oddProbability);
  const isGet = random.chance(0.2);
  const method = isOdd() ? random.pick(methods) : isGet ? random.pick(['GET', 'GET', 'DELETE']) : 'POST';
  const target = isOdd() ? random.pick(oddTargets) : random.pick(isGet ? getTargets : targets);
  const version = isOdd() ? random.pick(versions) : 'HTTP/1.1';
  const body = isGet
    ? ''
    : random.pick([json, json, '{}', '', `{"a":"${'x'.repeat(random.below(3000))}"}`, smuggled, '{"a":"\xc3\xa4"}', 'no json']);
  const fields = fieldsOf(random, isOdd);
  const framing = isOdd() ? oddFraming(random, body) : plainFraming(random, body, isGet);
  for (const line of framing.lines) fields.splice(random.below(fields.length + 1), 0, line);
  const lineBreak = (): string => (random.chance(oddProbability / 8) ? random.pick(breaks) : '\r\n');
  const head = [`${method} ${target} ${version}`, ...fields].map((line) => line + lineBreak()).join('');
  return head + (random.chance(oddProbability / 8) ? random.pick(breaks) : '\r\n') + framing.body;
}

function fieldsOf(random: Random, isOdd: () => boolean): string[] {
  const fields = [`${random.pick(['host', 'Host', 'HOST'])}: ${isOdd() ? random.pick(hosts) : 'localhost:8787'}`];
  if (isOdd()) fields.pop();
  const names = new Set<string>();
  for (let n = random.below(6); n > 0; n -= 1) {
    const field = random.pick(plainFields);
    if (!names.has(field)) fields.push(field);
    names.add(field);
  }
  if (isOdd()) fields.push(random.pick(oddFields));
  if (random.chance(0.1)) fields.push(`connection: ${random.pick(isOdd() ? connections : ['close', 'keep-alive'])}`);
  if (random.chance(0.25)) fields.push(`x-answer: ${random.pick(responseModes)}`);
  if (random.chance(0.01)) for (let n = random.pick([63, 64, 70, 2100]); n > 0; n -= 1) fields.push(`x-n-${n}: ${n}`);
  if (random.chance(0.01)) fields.push(`x-long: ${'v'.repeat(random.pick([4000, 15_900, 16_384, 17_000, 66_000]))}`);
  return fields;
}

interface Framing {
  readonly lines: readonly string[];
  readonly body: string;
}

function plainFraming(random: Random, body: string, isGet: boolean): Framing {
  if (isGet && random.chance(0.8)) return { lines: [], body: '' };
  const name = random.pick(['content-length', 'Content-Length', 'CONTENT-LENGTH']);
  if (random.chance(0.8)) return { lines: [`${name}: ${body.length}`], body };
  return { lines: ['transfer-encoding: chunked'], body: chunked(random, body, 0) };
}

function oddFraming(random: Random, body: string): Framing {
  return random.one<Framing>(
    () => ({ lines: [`content-length: ${random.pick(lengths(body.length))}`], body }),
    () => ({ lines: [`content-length:${random.pick(lengths(body.length))}`], body }),
    () => ({ lines: [`transfer-encoding: ${random.pick(codings)}`], body: chunked(random, body, 0.1) }),
    () => ({
      lines: [`transfer-encoding: ${random.pick(codings)}`, `content-length: ${body.length}`],
      body: random.pick([body, chunked(random, body, 0)]),
    }),
    () => ({ lines: [`content-length: ${body.length}`, `content-length: ${body.length + random.below(2)}`], body }),
    () => ({ lines: ['transfer-encoding: chunked', 'transfer-encoding: chunked'], body: chunked(random, body, 0) }),
    () => ({ lines: ['transfer-encoding: chunked'], body: chunked(random, body, 0.4) }),
    () => ({ lines: [], body }),
  );
}

/** @param oddProbability probability of an unusual framing, per chunk */
function chunked(random: Random, body: string, oddProbability: number): string {
  let text = '';
  for (let at = 0; at < body.length; ) {
    const size = 1 + random.below(body.length - at);
    const part = body.slice(at, at + size);
    at += size;
    const hex = random.chance(0.1) ? size.toString(16).toUpperCase() : size.toString(16);
    if (!random.chance(oddProbability)) text += `${hex}\r\n${part}\r\n`;
    else {
      text += random.pick([
        `${hex};a=b\r\n${part}\r\n`,
        `${hex};a="b;c"\r\n${part}\r\n`,
        `${hex} ;a\r\n${part}\r\n`,
        `${hex};\r\n${part}\r\n`,
        `${hex};a\n\r\n${part}\r\n`,
        `0${hex}\r\n${part}\r\n`,
        `${hex}\n${part}\n`,
        `${hex}\r\n${part}`,
        `${hex}\r\n${part}X\r\n`,
        `${hex} \r\n${part}\r\n`,
        `+${hex}\r\n${part}\r\n`,
        `-${hex}\r\n${part}\r\n`,
        `0x${hex}\r\n${part}\r\n`,
        `fffffffffffffffff\r\n${part}\r\n`,
        `10000000000000000${hex}\r\n${part}\r\n`,
        `\r\n${part}\r\n`,
        `${hex}\r\n${part}\r`,
      ]);
    }
  }
  if (!random.chance(oddProbability)) return `${text}0\r\n\r\n`;
  return (
    text +
    random.pick([
      '0\r\nx-t: a\r\n\r\n',
      '0\r\nx t: a\r\n\r\n',
      '0\n\n',
      '0\r\n',
      '00\r\n\r\n',
      '0;a\r\n\r\n',
      '0\r\ncontent-length: 5\r\n\r\n',
      '',
    ])
  );
}

/** Bytes that parsers interpret differently. */
const sharp = ['\r', '\n', '\r\n', '\0', ' ', '\t', ':', ';', ',', '\x80', '\x7f', '0', '5', '-', '+', 'chunked'];

/** Changes a few positions of the text, nearly all of them in its head. */
export function mutated(random: Random, text: string): string {
  let out = text;
  for (let n = 1 + random.below(3); n > 0; n -= 1) {
    const at = random.below(random.chance(0.9) ? Math.max(1, out.indexOf('\r\n\r\n') + 4) : out.length + 1);
    out = random.one(
      () => out.slice(0, at) + random.pick(sharp) + out.slice(at),
      () => out.slice(0, at) + out.slice(at + 1),
      () => out.slice(0, at) + random.pick(sharp) + out.slice(at + 1),
    );
  }
  return out;
}
