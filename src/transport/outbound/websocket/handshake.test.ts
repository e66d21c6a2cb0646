import { expect, test } from 'vitest';
import { headersToSend, passedHeaders } from './handshake.ts';

test('a repeated header becomes a list, and a name of the prototype stays a name', () => {
  const object = headersToSend(['x', '1', 'y', '2', 'x', '3', '__proto__', 'z']);
  expect(Object.entries(object)).toEqual([
    ['x', ['1', '3']],
    ['y', '2'],
    ['__proto__', 'z'],
  ]);
});

test.each([
  ['one that was offered', { 'sec-websocket-protocol': 'b' }, ['a', 'b'], 'b'],
  ['one that was not', { 'sec-websocket-protocol': 'c' }, ['a', 'b'], undefined],
  ['none, where nothing had to be chosen', {}, ['a'], undefined],
  ['none, where a browser waits for one', {}, ['realtime', 'a'], 'realtime'],
])('the chosen subprotocol: %s', (_what, received, offered, chosen) => {
  expect(passedHeaders(received, offered)['sec-websocket-protocol']).toBe(chosen);
});
