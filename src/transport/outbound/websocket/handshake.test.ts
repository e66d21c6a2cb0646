import { expect, test } from 'vitest';
import { toOutgoingHeaders, forwardedHeaders } from './handshake.ts';

test('toOutgoingHeaders() turns a repeated header into a list and supports the name __proto__', () => {
  const object = toOutgoingHeaders(['x', '1', 'y', '2', 'x', '3', '__proto__', 'z']);
  expect(Object.entries(object)).toEqual([
    ['x', ['1', '3']],
    ['y', '2'],
    ['__proto__', 'z'],
  ]);
});

test.each([
  ['the offered subprotocol', { 'sec-websocket-protocol': 'b' }, ['a', 'b'], 'b'],
  ['nothing for a subprotocol that was not offered', { 'sec-websocket-protocol': 'c' }, ['a', 'b'], undefined],
  ['nothing if the provider chose none', {}, ['a'], undefined],
  ['realtime if the provider chose none and a browser expects one', {}, ['realtime', 'a'], 'realtime'],
])('forwardedHeaders() returns as the chosen subprotocol %s', (_name, received, offeredProtocols, chosen) => {
  expect(forwardedHeaders(received, offeredProtocols)['sec-websocket-protocol']).toBe(chosen);
});
