import { expect, it } from 'vitest';
import { createProxies } from './proxy.ts';

const found = (setting: { url: string; except?: readonly string[] }, host: string, isTls = true): unknown =>
  createProxies(() => ({ except: [], ...setting }))({ isTls, host });

it.each<[url: string, endpoint: object, authorization: string | undefined]>([
  ['http://proxy.example:3128', { isTls: false, host: 'proxy.example', port: 3128 }, undefined],
  ['http://proxy.example', { isTls: false, port: 80 }, undefined],
  ['https://proxy.example/', { isTls: true, port: 443, serverName: 'proxy.example' }, undefined],
  ['http://[fd00::1]:3128', { host: 'fd00::1', port: 3128, serverName: undefined }, undefined],
  ['http://user@p', {}, 'user:'],
  ['http://:pass@p', {}, ':pass'],
  ['http://us%3Aer:p%40ss%20%C3%BC@p', {}, 'us:er:p@ss ü'],
])('reads the address %s', (url, endpoint, credential) => {
  const authorization = credential === undefined ? undefined : `Basic ${Buffer.from(credential).toString('base64')}`;
  expect(found({ url }, 'a.example')).toEqual({ endpoint: expect.objectContaining(endpoint) as unknown, authorization });
});

it.each<[host: string, isTls: boolean]>([
  ['a.example', false],
  ['localhost', true],
  ['x.localhost', true],
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['169.254.169.254', true],
  ['fe80::1', true],
  ['LISTED.example', true],
  ['listed.example.', true],
  ['localhost.', true],
  ['a.suffix.example', true],
  ['10.1.2.3', true],
])('uses no proxy for %s (TLS: %s)', (host, isTls) => {
  expect(found({ url: 'http://p', except: ['listed.example', '*.suffix.example', '10.0.0.0/8'] }, host, isTls)).toBeUndefined();
});

it.each(['suffix.example', 'notlisted.example', '11.0.0.1', 'localhost.example'])('uses the proxy for %s', (host) => {
  expect(found({ url: 'http://p', except: ['listed.example', '*.suffix.example', '10.0.0.0/8'] }, host)).toBeDefined();
});
