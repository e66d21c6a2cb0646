import { expect, it } from 'vitest';
import {
  hostNameOf,
  isLoopback,
  type ListenAddress,
  listenAddress,
  listenText,
  type ListenSetting,
  parseListen,
  unbracket,
} from './listen-address.ts';

it.each<[text: string, address: ListenAddress | undefined]>([
  ['8787', { host: '127.0.0.1', port: 8787 }],
  [':8787', { host: '0.0.0.0', port: 8787 }],
  ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ['gateway.example:65535', { host: 'gateway.example', port: 65_535 }],
  ['[::1]:80', { host: '::1', port: 80 }],
  ['[::ffff:10.0.0.1]:80', { host: '::ffff:10.0.0.1', port: 80 }],
  ['unix:/run/gw.sock', { path: '/run/gw.sock' }],
  ['unix:x', { path: 'x' }],
  ['unix:', undefined],
  ['', undefined],
  ['localhost', undefined],
  ['h:65536', undefined],
  ['h:123456', undefined],
  ['::1:80', undefined],
  ['[h]:80', undefined],
  ['[::1]', undefined],
  ['h:80x', undefined],
  ['http://h:80', undefined],
])('parseListen and listenAddress parse %j', (text, address) => {
  expect(parseListen(text)).toEqual(address);
  expect(listenAddress(text)).toEqual(address);
});

it.each<[setting: ListenSetting, text: string, address: ListenAddress]>([
  ['8787', '8787', { host: '127.0.0.1', port: 8787 }],
  [{ unix: '/run/gw.sock' }, 'unix:/run/gw.sock', { path: '/run/gw.sock', mode: undefined }],
  [{ unix: '/run/gw.sock', mode: '0660' }, 'unix:/run/gw.sock', { path: '/run/gw.sock', mode: 0o660 }],
])('listenText and listenAddress accept the setting %j', (setting, text, address) => {
  expect(listenText(setting)).toBe(text);
  expect(listenAddress(setting)).toEqual(address);
});

it.each<[address: ListenAddress, isLocal: boolean]>([
  [{ path: '/run/gw.sock' }, true],
  [{ host: 'LocalHost', port: 1 }, true],
  [{ host: '::1', port: 1 }, true],
  [{ host: '127.0.0.1', port: 1 }, true],
  [{ host: '127.200.3.4', port: 1 }, true],
  [{ host: 'app.localhost', port: 1 }, true],
  [{ host: '127.0.0.1.example', port: 1 }, false],
  [{ host: 'localhost.example', port: 1 }, false],
  [{ host: 'notlocalhost', port: 1 }, false],
  [{ host: '0.0.0.0', port: 1 }, false],
  [{ host: '10.127.0.1', port: 1 }, false],
])('isLoopback returns for %j: %s', (address, isLocal) => {
  expect(isLoopback(address)).toBe(isLocal);
});

it.each([
  ['LOCALHOST:8787', 'localhost'],
  ['gateway.example.', 'gateway.example'],
  ['[::1]:80', '::1'],
  ['127.0.0.1', '127.0.0.1'],
  ['a:b', ''],
  ['[::1', ''],
  ['', ''],
])('hostNameOf returns the name in the Host header %j', (header, name) => {
  expect(hostNameOf(header)).toBe(name);
});

it.each([
  ['[::1]', '::1'],
  ['[::1', '[::1'],
  ['localhost', 'localhost'],
])('unbracket(%j)', (host, bare) => {
  expect(unbracket(host)).toBe(bare);
});
