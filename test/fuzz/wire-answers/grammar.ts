import type { Random } from '../random.ts';

/**
 * Generates upstream responses as bytes: mostly valid by RFC 9112, with deviations that parsers are known to treat differently.
 * One character per byte.
 */
export interface WireCase {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly text: string;
}

export function anyCase(random: Random): WireCase {
  const method = random.pick(['POST', 'POST', 'POST', 'POST', 'GET', 'HEAD'] as const);
  let text = anyMessage(random);
  if (random.chance(0.1))
    text += random.one(
      () => anyMessage(random),
      () => '\r\n',
      () => 'x',
      () => '0\r\n\r\n',
    );
  if (random.chance(0.35)) text = mutated(text, random);
  if (random.chance(0.2)) text = text.slice(0, random.below(text.length + 1));
  return { method, text };
}

function anyMessage(random: Random): string {
  const interim = random.chance(0.08) ? Array.from({ length: 1 + random.below(3) }, () => anyInterim(random)).join('') : '';
  return interim + anyFinal(random);
}

const line = (random: Random): string => (random.chance(0.985) ? '\r\n' : random.pick(['\n', '\r', '\r\r\n', '\n\r\n', '\r\n ']));

function anyInterim(random: Random): string {
  const status = random.pick(['103', '103', '102', '100', '101', '199']);
  const fields = random.chance(0.5) ? `link: </x>${line(random)}` : random.chance(0.3) ? anyField(random) : '';
  return `HTTP/1.1 ${status} Early${line(random)}${fields}${line(random)}`;
}

function anyFinal(random: Random): string {
  const fields = Array.from({ length: random.below(6) }, () => anyField(random));
  const { headers, body } = anyBody(random);
  for (const header of headers) fields.splice(random.below(fields.length + 1), 0, header);
  return `${statusLine(random)}${fields.join('')}${line(random)}${body}`;
}

function statusLine(random: Random): string {
  if (random.chance(0.85)) return `HTTP/1.1 ${random.pick(statuses)} OK${line(random)}`;
  const version = random.pick([
    'HTTP/1.1',
    'HTTP/1.0',
    'HTTP/1.0',
    'HTTP/2.0',
    'HTTP/0.9',
    'HTTP/1.2',
    'http/1.1',
    'HTTP/1',
    'HTTP/1.10',
    ' HTTP/1.1',
  ]);
  const status = random.pick([...statuses, '007', '99', '1000', '+20', '2 0', '', '20x']);
  const reason = random.pick([' OK', ' ', '', '  OK', '\tOK', ' Gr\xfc\xdfe', ' \x00', ' a\x0bb', ' a\rb', ` ${'r'.repeat(300)}`]);
  return `${version}${random.pick([' ', ' ', ' ', '  ', '\t', ''])}${status}${reason}${line(random)}`;
}

const statuses = ['200', '200', '200', '200', '201', '204', '205', '206', '301', '304', '400', '404', '429', '500', '503', '600', '999'];
const names = [
  'content-type',
  'Date',
  'x-request-id',
  'Server',
  'vary',
  'set-cookie',
  'connection',
  'Connection',
  'keep-alive',
  'upgrade',
  '__proto__',
  'constructor',
  'x',
  'trailer',
  'content-encoding',
];
const oddNames = [
  '',
  ' x',
  'x ',
  'x\t',
  'a b',
  'a\x00b',
  'a\x7f',
  '\xfcber',
  '(x)',
  'x:',
  '"q"',
  'content-length ',
  ' transfer-encoding',
  'Content\x00-Length',
  'transfer\xadencoding',
];
const values = [
  'application/json',
  'a',
  '',
  'close',
  'keep-alive',
  'Keep-Alive',
  'keep-alive, close',
  'close, x',
  'timeout=5',
  'timeout=1, max=3',
  'websocket',
  'upgrade',
  'gzip',
  'W/"x"',
  'Gr\xfc\xdfe',
  'a\tb',
];
const oddValues = [
  'a\x00b',
  '\x00',
  'a\x01',
  'a\x7f',
  'a\rb',
  'a\nb',
  'a\r\n b',
  'a\r\n\tb',
  'a\r\n',
  '\r',
  'x'.repeat(500),
  'x'.repeat(17_000),
  '\x0b',
];

function anyField(random: Random): string {
  const name = random.chance(0.97) ? random.pick(names) : random.pick(oddNames);
  const value = random.chance(0.97) ? random.pick(values) : random.pick(oddValues);
  const before = random.chance(0.8) ? ' ' : random.pick(['', '  ', '\t', ' \t ', '\r\n ']);
  const behind = random.chance(0.9) ? '' : random.pick([' ', '\t', '  \t', '\t ']);
  return `${name}:${before}${value}${behind}${line(random)}`;
}

interface Framed {
  readonly headers: string[];
  readonly body: string;
}

function anyBody(random: Random): Framed {
  const content = random.one(
    () => '{"id":1}',
    () => '',
    () => 'data: {"x":1}\n\ndata: [DONE]\n\n',
    () => 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx',
    () => random.bytes(random.below(300)).toString('latin1'),
  );
  return random.one(
    () => withLength(random, content),
    () => withLength(random, content),
    () => withChunks(random, content),
    () => withChunks(random, content),
    () => withBoth(random, content),
    () => ({ headers: random.chance(0.5) ? [`Connection: close${line(random)}`] : [], body: content }),
  );
}

function withLength(random: Random, content: string): Framed {
  const right = content.length.toString();
  const length = random.chance(0.8)
    ? right
    : random.pick([
        `${content.length + 1}`,
        `${Math.max(0, content.length - 1)}`,
        `+${right}`,
        `-${right}`,
        `0${right}`,
        `000000000000000000000${right}`,
        `${right}, ${right}`,
        `${right},`,
        `0x${right}`,
        `${right}.0`,
        `${right} 1`,
        '',
        ' ',
        '99999999999999999999',
        '18446744073709551616',
        '4294967296',
        `${right}\x00`,
      ]);
  const name = random.pick(['content-length', 'Content-Length', 'CONTENT-LENGTH']);
  const header = `${name}: ${length}${random.chance(0.1) ? ' ' : ''}${line(random)}`;
  const duplicate = random.chance(0.05) ? [`${name}: ${random.pick([length, right, '0', '5'])}${line(random)}`] : [];
  return { headers: [header, ...duplicate], body: content };
}

const codings = [
  'gzip, chunked',
  'chunked, chunked',
  'chunked, gzip',
  'gzip',
  'identity',
  'xchunked',
  'chunked;q=1',
  '"chunked"',
  'chunked,',
  ',chunked',
  ' chunked',
  'chunked\t',
  'ch\x00unked',
  '',
  'chunkedx',
  'identity, chunked',
  'chunked, identity',
  'deflate,gzip',
];

function withChunks(random: Random, content: string): Framed {
  const coding = random.chance(0.85) ? random.pick(['chunked', 'chunked', 'Chunked', 'CHUNKED']) : random.pick(codings);
  const name = random.pick(['transfer-encoding', 'Transfer-Encoding']);
  const headers = [`${name}: ${coding}${line(random)}`];
  if (random.chance(0.04)) headers.push(`${name}: ${random.pick(['chunked', 'identity', 'gzip', ''])}${line(random)}`);
  return { headers, body: chunksOf(random, content) };
}

function withBoth(random: Random, content: string): Framed {
  const { headers, body } = withChunks(random, content);
  return random.chance(0.5) ? { headers: [...headers, ...withLength(random, content).headers], body } : { headers, body: content };
}

function chunksOf(random: Random, content: string): string {
  let text = '';
  for (let at = 0; at < content.length; ) {
    const size = Math.min(1 + random.below(40), content.length - at);
    text += `${sizeOf(random, size)}${line(random)}${content.slice(at, at + size)}${line(random)}`;
    at += size;
  }
  const last = random.chance(0.93) ? '0' : random.pick(['00', '000000000000000000000', '', '0 ', ' 0', '0;x', '-0', '0x0']);
  const trailer = random.chance(0.85)
    ? ''
    : random.one(
        () => anyField(random),
        () => `content-length: 5${line(random)}`,
        () => 'a\r\n',
        () => `transfer-encoding: chunked\r\n`,
      );
  return `${last}${line(random)}`.length === 0 ? text : `${text}${last}${line(random)}${trailer}${line(random)}`;
}

function sizeOf(random: Random, size: number): string {
  const hex = size.toString(16);
  if (random.chance(0.85)) return random.chance(0.5) ? hex : hex.toUpperCase();
  return random.pick([
    `0${hex}`,
    `0000000000000000${hex}`,
    `${hex};a=b`,
    `${hex};a`,
    `${hex} ;a=b`,
    `${hex}; a=b`,
    `${hex};a="q"`,
    `${hex};a="q;\r\n"`,
    `${hex};`,
    `${hex};;`,
    `${hex};a=b;c=d`,
    `${hex};\x00`,
    `${hex} `,
    ` ${hex}`,
    `0x${hex}`,
    `+${hex}`,
    `-${hex}`,
    `${hex}g`,
    `${hex}\t`,
    'ffffffffffffffff',
    'fffffffffffffffff',
    `1${hex}`,
    `${hex};${'e'.repeat(2000)}`,
    `${hex};a=\nb`,
  ]);
}

const hostile = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '\x00',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '0',
  '1',
  'f',
  '\x0b',
  '\x7f',
  '\xff',
  '\x80',
  'HTTP/1.1',
  'chunked',
  '\r\n ',
  'content-length: 3\r\n',
  'transfer-encoding: chunked\r\n',
];

function mutated(text: string, random: Random): string {
  let changed = text;
  for (let times = 1 + random.below(2); times > 0; times -= 1) {
    // The relevant bytes are mostly in the head.
    const at = random.below(random.chance(0.7) ? Math.min(changed.length + 1, 120) : changed.length + 1);
    const truncatedBy = random.pick([0, 0, 1, 1, 2, 5]);
    changed = changed.slice(0, at) + (random.chance(0.3) ? '' : random.pick(hostile)) + changed.slice(at + truncatedBy);
  }
  return changed;
}
