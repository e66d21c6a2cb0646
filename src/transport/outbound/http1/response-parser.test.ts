import { describe, expect, it } from 'vitest';
import { ResponseHeadParser } from './response-head.ts';
import { ResponseParser } from './response-parser.ts';
import type { WireFault } from '../../wire/fault.ts';

/** What a reader returns for these chunks: status, body and remaining bytes, `…` if the end is missing, or the fault code. */
function parse(pieces: readonly string[], method = 'POST', parser = new ResponseHeadParser()): string {
  const reader = new ResponseParser(parser);
  reader.begin(method);
  let log = '';
  const receiver = {
    head: (status: number) => {
      log += `${status} `;
    },
    data: (bytes: Buffer) => {
      log += bytes.toString('latin1');
    },
  };
  try {
    let leftover: number | undefined;
    for (const piece of pieces) leftover = reader.push(Buffer.from(piece, 'latin1'), receiver);
    if (leftover === undefined) return reader.endsAtClose() ? `${log}(closed)` : `${log}…`;
    return `${log}+${leftover}${reader.isReusable ? ' kept' : ''}`;
  } catch (fault) {
    return (fault as WireFault).code;
  }
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;

const acceptedResponses: readonly (readonly [name: string, text: string, expected: string, method?: string])[] = [
  ['a content-length', `${ok}content-length: 3\r\n\r\nabc`, '200 abc+0 kept'],
  ['a content-length of 0', `${ok}content-length: 0\r\n\r\n`, '200 +0 kept'],
  ['more bytes than its content-length', `${ok}content-length: 3\r\n\r\nabcd`, '200 abc+1 kept'],
  ['fewer bytes than its content-length', `${ok}content-length: 3\r\n\r\nab`, '200 ab…'],
  ['a chunked body', `${chunked}3\r\nabc\r\n0000a\r\n0123456789\r\n0\r\n\r\n`, '200 abc0123456789+0 kept'],
  ['a chunked body with extensions and a trailer', `${chunked}3;a=b;c\r\nabc\r\n0\r\nx-sum: 1\r\ny:\r\n\r\nz`, '200 abc+1 kept'],
  ['a chunked body without the last chunk', `${chunked}3\r\nabc\r\n`, '200 abc…'],
  ['a chunked body without the last line', `${chunked}3\r\nabc\r\n0\r\n`, '200 abc…'],
  ['a body that ends with the connection', `${ok}\r\nabc`, '200 abc(closed)'],
  ['an encoded body that ends with the connection', `${ok}transfer-encoding: gzip\r\n\r\nabc`, '200 abc(closed)'],
  ['incomplete headers', `${ok}content-le`, '…'],
  ['connection: close', `${ok}connection: x, Close\r\ncontent-length: 1\r\n\r\na`, '200 a+0'],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na', '200 a+0'],
  ['HTTP/1.0 with keep-alive', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\nconnection: keep-alive\r\n\r\na', '200 a+0 kept'],
  ['a status line without a reason', 'HTTP/1.1 503\r\ncontent-length: 0\r\n\r\n', '503 +0 kept'],
  ['204 with a content-length', 'HTTP/1.1 204 X\r\ncontent-length: 5\r\n\r\n', '204 +0'],
  ['304', 'HTTP/1.1 304 X\r\n\r\n', '304 +0 kept'],
  ['the response to HEAD', `${ok}content-length: 5\r\n\r\n`, '200 +0', 'HEAD'],
  ['interim responses', `HTTP/1.1 100 C\r\n\r\nHTTP/1.1 103 E\r\nlink: x\r\n\r\n${ok}content-length: 1\r\n\r\na`, '200 a+0 kept'],
];

const rejectedResponses: readonly (readonly [name: string, text: string, code: string])[] = [
  ['another protocol', 'SSH-2.0-x\r\n', 'UPSTREAM_INVALID'],
  ['a later version', 'HTTP/1.2 200 OK\r\n\r\n', 'UPSTREAM_INVALID'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', 'UPSTREAM_INVALID'],
  ['a line that ends in LF alone', 'HTTP/1.1 200 OK\ncontent-length: 0\r\n', 'UPSTREAM_INVALID'],
  ['LF alone after the headers', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\n', 'UPSTREAM_INVALID'],
  ['a CR in a value', `${ok}a: b\rc: d\r\n\r\n`, 'UPSTREAM_INVALID'],
  ['a NUL in a value', `${ok}a: b\0\r\n\r\n`, 'UPSTREAM_INVALID'],
  ['a folded line', `${ok}a: b\r\n c\r\n\r\n`, 'UPSTREAM_INVALID'],
  ['a blank before the colon', `${ok}content-length : 1\r\n\r\na`, 'UPSTREAM_INVALID'],
  ['a line without a colon', `${ok}abc\r\n\r\n`, 'UPSTREAM_INVALID'],
  ['a line without a name', `${ok}: x\r\n\r\n`, 'UPSTREAM_INVALID'],
  ['two content-lengths', `${ok}content-length: 1\r\ncontent-length: 1\r\n\r\na`, 'UPSTREAM_LENGTH'],
  ['a list of content-lengths', `${ok}content-length: 1, 1\r\n\r\na`, 'UPSTREAM_LENGTH'],
  ['a signed content-length', `${ok}content-length: +1\r\n\r\na`, 'UPSTREAM_LENGTH'],
  ['content-length and chunked encoding', `${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 'UPSTREAM_LENGTH'],
  ['gzip and chunked encoding', `${ok}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 'UPSTREAM_INVALID'],
  ['chunked encoding twice', `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 'UPSTREAM_INVALID'],
  ['a chunk without a size', `${chunked}\r\nabc\r\n`, 'UPSTREAM_INVALID'],
  ['a chunk size with 0x', `${chunked}0x3\r\nabc\r\n`, 'UPSTREAM_INVALID'],
  ['a chunk size that overflows', `${chunked}1000000000000003\r\nabc\r\n`, 'UPSTREAM_INVALID'],
  ['a blank after a chunk size', `${chunked}3 \r\nabc\r\n`, 'UPSTREAM_INVALID'],
  ['LF after a chunk size', `${chunked}3\nabc\r\n`, 'UPSTREAM_INVALID'],
  ['LF in a chunk extension', `${chunked}3;a\nb\r\nabc\r\n`, 'UPSTREAM_INVALID'],
  ['a chunk longer than its size', `${chunked}3\r\nabcd\r\n`, 'UPSTREAM_INVALID'],
  ['content-length in a trailer', `${chunked}0\r\ncontent-length: 3\r\n\r\n`, 'UPSTREAM_INVALID'],
  ['101 to another protocol', 'HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'UPSTREAM_INVALID'],
  ['endless interim responses', 'HTTP/1.1 103 E\r\n\r\n'.repeat(17), 'UPSTREAM_INVALID'],
  ['a value of 16 KB', `${ok}a: ${'x'.repeat(16_384)}\r\n\r\n`, 'UPSTREAM_HEAD_TOO_LARGE'],
  ['headers of 16 KB', `${ok}${`abcd: ${'x'.repeat(60)}\r\n`.repeat(256)}\r\n`, 'UPSTREAM_HEAD_TOO_LARGE'],
  ['a reason of 16 KB', `HTTP/1.1 200 ${'x'.repeat(16_384)}\r\n\r\n`, 'UPSTREAM_HEAD_TOO_LARGE'],
  ['endless headers', `${ok}a: ${'x'.repeat(40_000)}`, 'UPSTREAM_HEAD_TOO_LARGE'],
  ['an endless trailer', `${chunked}0\r\na: ${'x'.repeat(20_000)}`, 'UPSTREAM_HEAD_TOO_LARGE'],
  ['endless chunk extensions', `${chunked}3;${'x'.repeat(2000)}`, 'UPSTREAM_INVALID'],
];

describe('ResponseParser', () => {
  const rows = acceptedResponses.map(([name, text, expected, method = 'POST']) => [name, text, expected, method] as const);
  it.each(rows)('reads %s', (_name, text, expected, method) => {
    expect(parse([text], method)).toBe(expected);
  });

  it.each(rejectedResponses)('rejects %s', (_name, text, code) => {
    expect(parse([text])).toBe(code);
  });

  it('reads the same however the response is split', () => {
    const shortCases = [...acceptedResponses, ...rejectedResponses].filter(([, text]) => text.length < 500);
    for (const [, text, expected, method = 'POST'] of shortCases as typeof acceptedResponses) {
      for (let offset = 1; offset < text.length; offset += 1) {
        const parsed = parse([text.slice(0, offset), text.slice(offset)], method);
        // The number of bytes after the end depends on the split.
        if (!/\+[1-9]/.test(expected)) expect(parsed, JSON.stringify(text.slice(0, offset))).toBe(expected);
      }
    }
  });

  it.each([
    [16_383, '200 (closed)'],
    [16_384, 'UPSTREAM_HEAD_TOO_LARGE'],
  ])('limits a head of %i bytes, however it is split', (size, expected) => {
    const head = `${ok}a: `.padEnd(size, 'x');
    for (const end of ['', '\r', '\r\n', '\r\n\r', '\r\n\r\n'])
      expect(parse([head + end, '\r\n\r\n'.slice(end.length)]), JSON.stringify(end)).toBe(expected);
  });

  it('is not confused by headers that it has cached', () => {
    const parser = new ResponseHeadParser();
    const head = (text: string): unknown => {
      try {
        return parser.parse(text).headers;
      } catch (fault) {
        return (fault as WireFault).code;
      }
    };
    expect(head(`${ok}a: 1\r\nB: 2\r\n`)).toEqual({ a: '1', b: '2' });
    expect(head(`${ok}a: 1\r\nB: 23\r\n`)).toEqual({ a: '1', b: '23' });
    expect(head(`${ok}a: 1\r\nB:\t 3 \r\nB: 4\r\n`)).toEqual({ a: '1', b: '3, 4' });
    expect(head(`${ok}a: 1\r\nB: \0\r\n`)).toBe('UPSTREAM_INVALID');
    expect(head(`${ok}a: 1\r\n b: 2\r\n`)).toBe('UPSTREAM_INVALID');
    expect(head(`${ok}a: 1\r\nB\r\n`)).toBe('UPSTREAM_INVALID');
    expect(head(`${ok}B: 2\r\na: 1\r\n`)).toEqual({ b: '2', a: '1' });
  });

  it.each([
    ['5', '1', 1],
    ['1', '5', 1],
    ['5', undefined, 5],
    [undefined, '5', 5],
    [undefined, undefined, undefined],
  ])('ResponseParser keeps the fewest seconds of an interim response with %s and the final one with %s', (interim, final, expected) => {
    const line = (seconds: string | undefined): string => (seconds === undefined ? '' : `keep-alive: timeout=${seconds}\r\n`);
    const reader = new ResponseParser(new ResponseHeadParser());
    reader.begin('POST');
    const text = `HTTP/1.1 103 Early\r\n${line(interim)}\r\n${ok}${line(final)}content-length: 0\r\n\r\n`;
    reader.push(Buffer.from(text, 'latin1'), { head: () => {}, data: () => {} });
    expect(reader.keepAliveSeconds).toBe(expected);
  });

  it.each([
    ['timeout=5', 5],
    ['Timeout=5, max=3', 5],
    ['max=3,\t timeout= 5', 5],
    [';timeout=5', undefined],
    ['mytimeout=5', undefined],
    ['timeout=9\r\nkeep-alive: timeout=4', 4],
    ['timeout=4\r\nkeep-alive: timeout=9', 4],
    [';timeout=9\r\nkeep-alive: timeout=4', 4],
  ])('ResponseHeadParser reads the timeout of "keep-alive: %s"', (value, expected) => {
    expect(new ResponseHeadParser().parse(`${ok}keep-alive: ${value}\r\n`).keepAliveSeconds).toBe(expected);
  });

  it('ResponseHeadParser supports header names of the object prototype', () => {
    const { headers } = new ResponseHeadParser().parse(`${ok}__proto__: 1\r\nconstructor: 2\r\nconstructor: 3\r\n`);
    expect(Object.entries(headers)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2, 3'],
    ]);
  });
});
