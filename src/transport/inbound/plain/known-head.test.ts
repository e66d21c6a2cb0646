import { describe, expect, it } from 'vitest';
import { headerNames } from '../header-bag.ts';
import { KnownHeads, type ReadHead } from './known-head.ts';

const names = headerNames(['x-gateway-']);
const line = 'POST /v1/chat/completions HTTP/1.1\r\n';
const host = 'Host: localhost:8787\r\n';
const otherHeaders = `${host}Content-Type: application/json\r\nAuthorization: Bearer a\r\n`;
const parse = (text: string) => new KnownHeads().read(Buffer.from(text, 'latin1'), undefined, names);

describe('KnownHeads reads a request', () => {
  it.each([
    ['with a content-length', `${line}${otherHeaders}content-length: 2\r\n\r\n{}`, 2],
    ['without a body', `GET /v1/models?limit=1 HTTP/1.1\r\n${host}accept:*/*\r\n\r\n`, 0],
    ['with the method DELETE', `DELETE /v1/responses/r-1 HTTP/1.1\r\n${host}connection: Keep-Alive\r\n\r\n`, 0],
    ['with connection: close', `${line}${otherHeaders}connection: close\r\ncontent-length: 0\r\n\r\n`, 0],
  ])('%s', (_name, text, length) => {
    expect(parse(text)).toMatchObject({ length, end: text.indexOf('\r\n\r\n') + 4 });
  });
});

describe('KnownHeads leaves a request to node:http', () => {
  it.each([
    ['with another method', `PUT /v1/feedback/f HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`],
    ['for a route with forms', `POST /v1/files HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`],
    ['for a relayed route', `POST /v1/other HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`],
    ['for a path outside the API', `GET /healthz HTTP/1.1\r\n${host}\r\n`],
    ['with chunked encoding and a content-length', `${line}${otherHeaders}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n`],
    ['with gzip and chunked encoding', `${line}${otherHeaders}transfer-encoding: gzip, chunked\r\n\r\n`],
    ['with chunked encoding on GET', `GET /v1/models HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\n`],
    ['with a body on GET', `GET /v1/models HTTP/1.1\r\n${host}content-length: 2\r\n\r\n{}`],
    ['with a repeated header', `${line}${otherHeaders}x: a\r\nX: a\r\n\r\n`],
    ['with non-ASCII bytes', `${line}${otherHeaders}x: \xe4\r\n\r\n`],
    ['with 65 headers', `${line}${host}${Array.from({ length: 64 }, (_, n) => `x-${n}: a\r\n`).join('')}\r\n`],
    ['with more than 16 KB of headers', `${line}${otherHeaders}x: ${'a'.repeat(16_384)}\r\n\r\n`],
    ['with an invalid header in an incomplete head', `${line}x y`],
  ])('%s', (_name, text) => {
    expect(parse(text)).toBeUndefined();
  });
});

it('KnownHeads waits for the rest of an incomplete head that is valid so far', () => {
  expect([parse(`${line}${host}x-lo`), parse(`${line}${otherHeaders}\r`), parse(`${line}x: `)]).toEqual(['more', 'more', 'more']);
});

describe('KnownHeads with a head that it has read before', () => {
  const heads = new KnownHeads();
  const readAgain = (text: string, headerNames = names) => heads.read(Buffer.from(text, 'latin1'), first, headerNames);
  const completeHead = `${line}x-2: 2\r\n${otherHeaders}content-length: 2\r\nx-9: 2\r\n\r\n`;
  const { known: first } = heads.read(Buffer.from(`${completeHead}{}`), undefined, names) as ReadHead;

  it('recognizes it with any content-length', () => {
    const otherHead = completeHead.replace('length: 2', 'length: 1234');
    expect(readAgain(otherHead)).toEqual({ known: first, length: 1234, end: otherHead.length });
    expect(heads.read(Buffer.from(otherHead), undefined, names)).toEqual({ known: first, length: 1234, end: otherHead.length });
  });

  it.each([
    ['in a header value', 'Bearer a', 'Bearer b'],
    ['after the content-length', 'x-9: 2', 'x-9: 3'],
    ['in a content-length of 0', 'length: 2', 'length: 0'],
  ])('parses it again if it differs %s', (_name, from, to) => {
    const text = completeHead.replace(from, to);
    const result = readAgain(text);
    expect(result).toMatchObject({ end: text.length });
    expect(result).not.toMatchObject({ known: first });
  });

  it.each([
    ['a leading zero in the content-length', 'length: 2', 'length: 02'],
    ['a sign in the content-length', 'length: 2', 'length: +2'],
    ['a second content-length', 'x-9: 2', 'content-length: 3'],
  ])('leaves it to node:http with %s', (_name, from, to) => {
    expect(readAgain(completeHead.replace(from, to))).toBeUndefined();
  });

  it('parses it again if a reload changed the names of gateway headers', () => {
    expect(readAgain(completeHead, headerNames(['x-other-']))).not.toMatchObject({ known: first });
  });

  it('shows the content-length of the current request in its headers', () => {
    const bag = first.bag.withLength('1234');
    expect([bag.get('content-length'), new Map(bag.entries()).get('content-length'), bag.get('host')]).toEqual([
      '1234',
      '1234',
      'localhost:8787',
    ]);
  });
});
