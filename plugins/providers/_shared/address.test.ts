import { describe, expect, it } from 'vitest';
import { joinAddress, baseOf, customHostProblems, encodeIdSegment, memoize, paramOf, relayedRoute, encodeSegment } from './address.ts';

describe('custom host', () => {
  it.each([
    ['https://api.openai.com/v1', 'https://api.openai.com', '/v1'],
    ['http://127.0.0.1:11434/v1/', 'http://127.0.0.1:11434', '/v1'],
    ['https://host.example', 'https://host.example', ''],
    [' https://host.example//a//b/ ', 'https://host.example', '/a/b'],
  ])('%s is split into origin and path', (text, origin, path) => {
    expect(baseOf(text)).toEqual({ origin, path });
  });

  it.each(['host.example/v1', 'ftp://host.example', 'https://user:pw@host.example', 'https://host.example/#x', 'http://'])(
    '%s is rejected',
    (text) => {
      expect(() => baseOf(text)).toThrow(/custom host/i);
      expect(customHostProblems(text)).toMatchObject([{ path: ['custom_host'], code: 'bad-custom-host' }]);
    },
  );

  it('with a query is reported with the corrected URL as hint', () => {
    expect(customHostProblems('https://host.example/v1?x=1')).toMatchObject([{ hint: 'Write https://host.example/v1.' }]);
    expect(customHostProblems('https://host.example/v1')).toEqual([]);
    expect(customHostProblems(undefined)).toEqual([]);
  });
});

it.each([
  ['a.b', 'a.b'],
  ['a/b', 'a%2Fb'],
  ['ü?', '%C3%BC%3F'],
  ['../x', '..%2Fx'],
])('segment encodes %s as %s', (text, encoded) => {
  expect(encodeSegment(text)).toBe(encoded);
});

it.each(['a/b', 'a\\b', '../x', 'a/../b'])('idSegment rejects %s with 404', (text) => {
  expect(() => encodeIdSegment(text)).toThrow(expect.objectContaining({ code: 'invalid_value', status: 404 }) as Error);
});

it('idSegment encodes other characters into one segment', () => {
  expect(encodeIdSegment('batch_é?#')).toBe('batch_%C3%A9%3F%23');
});

it.each(['', '.', '..'])('segment rejects "%s"', (text) => {
  expect(() => encodeSegment(text)).toThrow(/upstream path/);
});

it.each([
  ['/v1/files/file-1/content', 'files/file-1/content'],
  ['/v1/threads/a%2Fb', 'threads/a%2Fb'],
  ['/v1', ''],
])('relayedRoute of %s is %s', (path, route) => {
  expect(relayedRoute(path)).toBe(route);
});

it.each(['/v1/../admin', '/v1/files/%2E%2e/x', '/v1/files/.', '/v1/a\\..\\b'])('relayedRoute rejects the dot segments of %s', (path) => {
  expect(() => relayedRoute(path)).toThrow(/^The path contains/);
});

it('paramOf finds a query parameter regardless of case', () => {
  expect(paramOf('a=1&API-version=2024-10-21', 'api-version')).toBe('2024-10-21');
});

it('at keeps the query unchanged', () => {
  expect(joinAddress({ origin: 'https://h', path: '/v1' }, 'models', 'limit=5&after=%2F')).toEqual({
    origin: 'https://h',
    path: '/v1/models?limit=5&after=%2F',
  });
});

it('memo computes the value of an object once', () => {
  let calls = 0;
  const count = memoize((_key: object) => (calls += 1));
  const key = {};
  expect([count(key), count(key), count({})]).toEqual([1, 1, 2]);
});
