import { describe, expect, it } from 'vitest';
import { boundaryOf, isMultipart, parseHead, writeHead } from './head.ts';

describe('parseHead()', () => {
  const table: readonly (readonly [head: string, expected: object])[] = [
    ['Content-Disposition: form-data; name="a"', { name: 'a', isFile: false, filename: undefined }],
    ['content-disposition:form-data;name=a', { name: 'a', isFile: false }],
    ['Content-Disposition: form-data; name="a b;c"; filename="x y.wav"', { name: 'a b;c', isFile: true, filename: 'x y.wav' }],
    ['Content-Disposition: form-data; name="f"; filename=""', { isFile: true, filename: '' }],
    ['Content-Disposition: form-data; name="q%22%0D%0Aq"', { name: 'q"\r\nq' }],
    ['Content-Disposition: form-data; name="f"; filename="a\\"b.txt"', { filename: 'a"b.txt' }],
    ['Content-Disposition: form-data; name="f"; filename="C:\\dir\\x.txt"', { filename: 'C:\\dir\\x.txt' }],
    ['Content-Disposition: form-data; name=f; filename="x"; filename*=UTF-8\'\'na%C3%AFve.txt', { filename: 'naïve.txt' }],
    ["Content-Disposition: form-data; name=f; filename*=utf-8'en'%e2%82%ac", { isFile: true, filename: '€' }],
    ["Content-Disposition: form-data; name=f; filename=x; filename*=UTF-8''%zz", { filename: 'x' }],
    ['Content-Disposition: form-data; name="ä"', { name: 'ä' }],
    ['Content-Type: audio/wav\r\nContent-Disposition: form-data; name="f"', { contentType: 'audio/wav', isFile: false }],
    ['Content-Disposition: form-data;\r\n name="a"', { name: 'a' }],
    ['Content-Disposition: form-data; name="a";', { name: 'a' }],
    ['X-Other: 1\nContent-Disposition: form-data; name="a"', { name: 'a' }],
  ];
  it.each(table)('parses %s', (head, expected) => expect(parseHead(head)).toMatchObject(expected));

  const rejectedHeads: readonly (readonly [head: string, message: RegExp])[] = [
    ['', /no content-disposition/],
    ['Content-Disposition: form-data; filename="x"', /no name/],
    ['Content-Disposition: form-data; name="a"; name="b"', /"name" twice/],
    ['Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="b"', /two content-disposition/],
    ['Content-Disposition: form-data; name="a" name2="b"', /cannot be read/],
    ['Content-Disposition: form-data; name="a', /cannot be read/],
    ['no header at all', /not a header/],
    [': x', /not a header/],
  ];
  it.each(rejectedHeads)('rejects %s', (head, message) => expect(() => parseHead(head)).toThrow(message));

  it('reads the same name that writeHead() wrote', () => {
    for (const name of ['model', 'a"b', 'x\r\ny', 'ä €']) expect(parseHead(writeHead(name, '\r\n')).name).toBe(name);
  });
});

describe('boundaryOf()', () => {
  const table: readonly (readonly [type: string, boundary: string | undefined])[] = [
    ['multipart/form-data; boundary=abc', 'abc'],
    ['Multipart/Form-Data;Boundary="a b;c"', 'a b;c'],
    ['multipart/form-data; charset=utf-8; boundary=----WebKitFormBoundaryX', '----WebKitFormBoundaryX'],
    ['multipart/form-data', undefined],
    ['multipart/form-data; boundary=', undefined],
    ['multipart/mixed; boundary=abc', undefined],
    ['application/json', undefined],
  ];
  it.each(table)('returns the boundary of %s', (type, boundary) => expect(boundaryOf(type)).toBe(boundary));

  // A search for the end of a run from each position would take minutes.
  it.each([' ', ';', '\t'])('reads a long run of %j in linear time', (separator) => {
    expect(() => boundaryOf(`multipart/form-data; boundary=x${separator.repeat(1_000_000)}y`)).toThrow('cannot be read');
    expect(boundaryOf(`multipart/form-data; boundary=x${separator.repeat(1_000_000)}`)).toBe('x');
  });

  it('isMultipart() accepts only multipart/form-data', () => {
    expect(isMultipart('multipart/form-data')).toBe(true);
    expect(isMultipart('multipart/form-datax')).toBe(false);
  });
});
