import { expect, it } from 'vitest';
import { compileGlobs, compileHosts } from './allow.ts';

it.each([
  [undefined, 'x'.repeat(1_000_000), true],
  [['*'], 'x'.repeat(512), true],
  [['*'], 'x'.repeat(513), false],
  [['*gpt*-mini*'], 'gpt-min'.repeat(300_000), false],
  [['*gpt*-mini*'], 'org/gpt-5-mini-2027', true],
  // An empty name is not a model: only a pattern that matches everything allows it.
  [['*'], '', true],
  [['gpt-*', '**'], '', true],
  [['{,gpt-4}'], '', false],
  [['{,gpt-4}'], 'gpt-4', true],
  [[], '', false],
])('compileGlobs(%j) checks a name', (patterns, name, isAllowed) => {
  expect(compileGlobs(patterns)(name)).toBe(isAllowed);
});

it.each([
  ['api.example.com', 'https://api.example.com/v1', true],
  ['api.example.com', 'https://API.example.com:8443/v1', true],
  ['API.example.com', 'https://api.example.com', true],
  ['api.example.com', 'https://example.com', false],
  ['api.example.com:443', 'https://api.example.com', true],
  ['api.example.com:443', 'https://api.example.com:443/v1', true],
  ['api.example.com:443', 'https://api.example.com:8443', false],
  ['api.example.com:443', 'http://api.example.com', false],
  ['api.example.com:80', 'http://api.example.com', true],
  ['api.example.com:8443', 'https://api.example.com', false],
  ['api.example.com:08443', 'https://api.example.com:8443', true],
  ['*.example.com', 'https://a.b.example.com', true],
  ['*.example.com', 'https://example.com', false],
  ['*.example.com:443', 'https://a.example.com', true],
  ['*.example.com:443', 'https://a.example.com:444', false],
])('compileHosts() with %s for %s returns %s', (pattern, url, isAllowed) => {
  expect(compileHosts([pattern])(new URL(url))).toBe(isAllowed);
});
