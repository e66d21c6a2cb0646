import { describe, expect, it } from 'vitest';
import { headerNames } from '../header-bag.ts';
import { KnownHeads, type ReadHead } from './known-head.ts';

const names = headerNames(['x-gateway-']);
const line = 'POST /v1/chat/completions HTTP/1.1\r\n';
const host = 'Host: localhost:8787\r\n';
const rest = `${host}Content-Type: application/json\r\nAuthorization: Bearer a\r\n`;
const read = (text: string) => new KnownHeads().read(Buffer.from(text, 'latin1'), undefined, names);

describe('a head is read on the socket', () => {
  it.each([
    ['of a body with a length', `${line}${rest}content-length: 2\r\n\r\n{}`, 2],
    ['without a body', `GET /v1/models?limit=1 HTTP/1.1\r\n${host}accept:*/*\r\n\r\n`, 0],
    ['of a deletion', `DELETE /v1/responses/r-1 HTTP/1.1\r\n${host}connection: Keep-Alive\r\n\r\n`, 0],
    ['that closes its connection', `${line}${rest}connection: close\r\ncontent-length: 0\r\n\r\n`, 0],
  ])('%s', (_what, text, length) => {
    expect(read(text)).toMatchObject({ length, end: text.indexOf('\r\n\r\n') + 4 });
  });
});

describe('a head is left to node:http', () => {
  it.each([
    ['of another method', `PUT /v1/feedback/f HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`],
    ['of a form', `POST /v1/files HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`],
    ['of what is relayed', `POST /v1/other HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`],
    ['outside the API', `GET /healthz HTTP/1.1\r\n${host}\r\n`],
    ['of chunks with a length', `${line}${rest}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n`],
    ['of a coding and chunks', `${line}${rest}transfer-encoding: gzip, chunked\r\n\r\n`],
    ['of chunks where no body belongs', `GET /v1/models HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\n`],
    ['of a body where none belongs', `GET /v1/models HTTP/1.1\r\n${host}content-length: 2\r\n\r\n{}`],
    ['with a name that comes twice', `${line}${rest}x: a\r\nX: a\r\n\r\n`],
    ['with bytes that are not ASCII', `${line}${rest}x: \xe4\r\n\r\n`],
    ['with 65 headers', `${line}${host}${Array.from({ length: 64 }, (_, n) => `x-${n}: a\r\n`).join('')}\r\n`],
    ['of more than 16 KB', `${line}${rest}x: ${'a'.repeat(16_384)}\r\n\r\n`],
    ['that is not plain so far', `${line}x y`],
  ])('%s', (_what, text) => {
    expect(read(text)).toBeUndefined();
  });
});

it('a head that is plain so far is waited for', () => {
  expect([read(`${line}${host}x-lo`), read(`${line}${rest}\r`), read(`${line}x: `)]).toEqual(['more', 'more', 'more']);
});

describe('a head that was seen before', () => {
  const heads = new KnownHeads();
  const ask = (text: string, of = names) => heads.read(Buffer.from(text, 'latin1'), first, of);
  const whole = `${line}x-2: 2\r\n${rest}content-length: 2\r\nx-9: 2\r\n\r\n`;
  const { known: first } = heads.read(Buffer.from(`${whole}{}`), undefined, names) as ReadHead;

  it('is recognized with any length of the body', () => {
    const other = whole.replace('length: 2', 'length: 1234');
    expect(ask(other)).toEqual({ known: first, length: 1234, end: other.length });
    expect(heads.read(Buffer.from(other), undefined, names)).toEqual({ known: first, length: 1234, end: other.length });
  });

  it.each([
    ['in another value', 'Bearer a', 'Bearer b'],
    ['behind the length', 'x-9: 2', 'x-9: 3'],
    ['in a length of nothing', 'length: 2', 'length: 0'],
  ])('is read where it differs %s', (_what, from, to) => {
    const text = whole.replace(from, to);
    const result = ask(text);
    expect(result).toMatchObject({ end: text.length });
    expect(result).not.toMatchObject({ known: first });
  });

  it.each([
    ['a zero before the length', 'length: 2', 'length: 02'],
    ['a sign before it', 'length: 2', 'length: +2'],
    ['a second one', 'x-9: 2', 'content-length: 3'],
  ])('is left to node:http with %s', (_what, from, to) => {
    expect(ask(whole.replace(from, to))).toBeUndefined();
  });

  it('is read again where a reload has changed the names of gateway headers', () => {
    expect(ask(whole, headerNames(['x-other-']))).not.toMatchObject({ known: first });
  });

  it('shows the length of this request among its headers', () => {
    const bag = first.bag.withLength('1234');
    expect([bag.get('content-length'), new Map(bag.entries()).get('content-length'), bag.get('host')]).toEqual([
      '1234',
      '1234',
      'localhost:8787',
    ]);
  });
});
