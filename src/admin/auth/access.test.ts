import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import type { AdminEntry } from '../../config/schema/index.ts';
import { type AccessOptions, createAccess } from './access.ts';
import { Sessions } from './sessions.ts';

const sessions = new Sessions(
  () => 0,
  () => 1,
);
const request = (headers: Readonly<Record<string, string>> = {}): IncomingMessage =>
  ({ headers, socket: { remoteAddress: '127.0.0.1' } }) as unknown as IncomingMessage;
const accessOf = (entry: AdminEntry, overrides: Partial<AccessOptions> = {}) =>
  createAccess({
    settings: () => entry,
    isLoopback: true,
    stateDirToken: undefined,
    cookieName: 'gw',
    sessions,
    now: () => 0,
    ...overrides,
  });

it.each([
  [true, true, 'local'],
  [true, false, undefined],
  [false, true, undefined],
  [undefined, true, undefined],
])('with open: %s and isLoopback: %s, a request without a token is by user %s', (open, isLoopback, name) => {
  expect(accessOf({ open } as AdminEntry, { isLoopback }).userOf(request())?.name).toBe(name);
});

it.each([
  ['gw=abc', 'abc'],
  ['other=x; gw=abc; more=y', 'abc'],
  ['xgw=x;gwx=y; gw=abc', 'abc'],
  ['gw=; gw=abc', 'abc'],
  ['gw', undefined],
  ['other=x', undefined],
  ['', undefined],
])('reads from the cookies %j the session %s', (cookie, id) => {
  expect(accessOf({}).cookie.read(request({ cookie }))).toBe(id);
});

it.each([
  [{}, false],
  [{ 'x-forwarded-proto': 'https' }, true],
  [{ 'x-forwarded-proto': 'http' }, false],
  [{ origin: 'https://gateway.example' }, true],
  [{ origin: 'http://gateway.example' }, false],
])('writes a cookie for a request with the headers %j and Secure: %s', (headers, isSecure) => {
  const cookieHeader = accessOf({}).cookie.write('abc', request(headers as Record<string, string>));
  expect(cookieHeader.split('; ')).toEqual(['gw=abc', 'Path=/', 'HttpOnly', 'SameSite=Strict', ...(isSecure ? ['Secure'] : [])]);
  expect(accessOf({}).cookie.write(undefined, request())).toBe('gw=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0');
});

it('ends a session if the token that started it changes, and no other session', () => {
  let entry = { token: 'first-token', users: { ann: { role: 'viewer', token: 'ann-token' } } } as AdminEntry;
  const access = accessOf(entry, { settings: () => entry });
  const sessionRequests = ['first-token', 'ann-token'].map((token) => {
    const user = access.users().byToken(token);
    return request({ cookie: `gw=${user === undefined ? '' : sessions.begin(user)}` });
  });
  expect(sessionRequests.map((request) => access.userOf(request)?.name)).toEqual(['admin', 'ann']);
  entry = { ...entry, token: 'second-token' };
  expect(sessionRequests.map((request) => access.userOf(request)?.name)).toEqual([undefined, 'ann']);
  expect(() => access.userOf(request({ authorization: 'Bearer first-token' }))).toThrow('The admin token is not valid.');
});
