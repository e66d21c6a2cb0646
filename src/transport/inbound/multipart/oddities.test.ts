import { describe, expect, it } from 'vitest';
import { contentTypeOddity, headOddity } from './oddities.ts';

/** Forms of common libraries must be accepted for limited keys, in each of their spellings. */

describe('headOddity()', () => {
  it.each([
    ['browsers and undici', 'Content-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n'],
    ['requests', `Content-Disposition: form-data; name="file"; filename*=utf-8''%C3%BC.wav\r\n`],
    ['httpx', 'Content-Disposition: form-data; name="file"; filename="ü%22.wav"\r\nContent-Type: audio/wav\r\n'],
    ['OkHttp', 'Content-Disposition: form-data; name="model"\r\nContent-Length: 5\r\n'],
    [
      'Apache HttpClient',
      'Content-Disposition: form-data; name="model"\r\nContent-Type: text/plain; charset=ISO-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n',
    ],
    ['.NET', 'Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=model\r\n'],
  ])('accepts the part headers of %s', (_, head) => expect(headOddity(head)).toBeUndefined());

  it.each(['utf-16', 'utf-7', 'iso-2022-jp', 'ibm037'])('reports the charset %s', (charset) => {
    expect(headOddity(`Content-Disposition: form-data; name="model"\r\nContent-Type: text/plain; charset=${charset}\r\n`)).toBeDefined();
  });
});

describe('contentTypeOddity()', () => {
  it.each([
    'multipart/form-data; boundary=----WebKitFormBoundaryX',
    'multipart/form-data;boundary="=_1"',
    'multipart/form-data; charset=UTF-8; boundary=x',
    'multipart/form-data; boundary=x; charset=ISO-8859-1',
  ])('accepts %s', (text) => expect(contentTypeOddity(text)).toBeUndefined());

  it.each([
    'multipart/form-data; charset=utf-16; boundary=x',
    'multipart/form-data; boundary=x; charset=utf-7',
    'multipart/form-data; boundary=x; boundary=y',
    'multipart/form-data; boundary*=x',
  ])('reports %s', (text) => expect(contentTypeOddity(text)).toBeDefined());
});
