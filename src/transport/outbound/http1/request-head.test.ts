import { describe, expect, it } from 'vitest';
import { RequestHeadWriter } from './request-head.ts';

describe('RequestHeadWriter', () => {
  const longText = 'x'.repeat(20_000);

  it.each([
    ['a short head', '/v1/a', 'v', 1],
    ['no head with a long path', `/${longText}`, 'v', 0],
    ['no head with a long header', '/v1/a', longText, 0],
  ])('caches %s', (_, path, value, count) => {
    const heads = new RequestHeadWriter('a.example');
    const written = [1, 2].map(() => heads.write('GET', path, ['x-a', value], 0));
    const head = `GET ${path} HTTP/1.1\r\nhost: a.example\r\nconnection: keep-alive\r\nx-a: ${value}\r\n\r\n`;
    expect([written, heads.size]).toEqual([[head, head], count]);
  });

  it('does not cache a head that cannot be written', () => {
    const heads = new RequestHeadWriter('a.example');
    expect([heads.write('GET', `/${longText}`, ['x-a', 'a\r\nb'], 0), heads.size]).toEqual([undefined, 0]);
  });
});
