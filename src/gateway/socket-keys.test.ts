import { expect, it } from 'vitest';
import type { Caller } from '../core/context.ts';
import type { ApiKey, Snapshot } from '../core/snapshot.ts';
import { TimerWheel } from '../transport/wire/timer-wheel.ts';
import { SocketKeys } from './socket-keys.ts';

const now = 1000;

function keyOf(more: Partial<ApiKey> = {}): ApiKey {
  return { name: 'app', id: '01234567', expires: undefined, retires: undefined, revoked: undefined, ...more } as ApiKey;
}

function snapshotOf(...keys: readonly ApiKey[]): Snapshot {
  return { apiKeys: new Map(keys.map((key) => [`${key.name}-${key.id}`, key])) } as unknown as Snapshot;
}

const app = keyOf();
const token = keyOf({ name: 'jwt:ann', id: '' });
const before = snapshotOf(app);

it.each<[string, key: ApiKey | undefined, current: Snapshot, code: string | undefined]>([
  ['the same configuration', app, before, undefined],
  ['no key', undefined, snapshotOf(), undefined],
  ['a reload with the key', app, snapshotOf(keyOf({ expires: now + 1 })), undefined],
  ['a reload that revokes the key', app, snapshotOf(keyOf({ revoked: now })), 'invalid_api_key'],
  ['a reload that removes the key', app, snapshotOf(keyOf({ name: 'other' })), 'invalid_api_key'],
  ['a reload that removes this secret of the key', app, snapshotOf(keyOf({ id: '76543210' })), 'invalid_api_key'],
  ['a rotation whose overlap lasts', app, snapshotOf(keyOf({ id: '76543210' }), keyOf({ retires: now + 1 })), undefined],
  ['a rotation whose overlap has ended', app, snapshotOf(keyOf({ id: '76543210' }), keyOf({ retires: now })), 'expired_api_key'],
  ['an expiry', keyOf({ expires: now }), before, 'expired_api_key'],
  ['a later expiry after a reload', keyOf({ expires: now }), snapshotOf(keyOf({ expires: now + 1 })), undefined],
  ['a token and a reload', token, snapshotOf(app), undefined],
  ['a token whose rules have expired', { ...token, expires: now }, snapshotOf(app), 'expired_api_key'],
])('with %s', (_case, key, current, code) => {
  const stopped: (string | undefined)[] = [];
  const sockets = new SocketKeys(
    new TimerWheel(),
    () => current,
    () => now,
  );
  const socket = { index: 0, stop: (error: { code: string }) => void stopped.push(error.code) };
  sockets.add(socket, { facts: { caller: { key } as Caller }, snapshot: before } as Parameters<SocketKeys['add']>[1]);
  expect(sockets.check()).toBe(key !== undefined && code === undefined);
  expect(stopped).toEqual(code === undefined ? [] : [code]);
  sockets.close();
});

it('forgets closed WebSockets', () => {
  const sockets = new SocketKeys(
    new TimerWheel(),
    () => before,
    () => now,
  );
  const socket = { index: 0 as number | undefined, stop: () => {} };
  sockets.add(socket, { facts: { caller: { key: app } as Caller }, snapshot: before } as Parameters<SocketKeys['add']>[1]);
  expect(sockets.check()).toBe(true);
  socket.index = undefined;
  expect(sockets.check()).toBe(false);
  sockets.close();
});
