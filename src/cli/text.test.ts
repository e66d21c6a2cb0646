import { expect, it } from 'vitest';
import { shownPath } from './text.ts';

it.each([
  ['/a/b/gateway.yaml', './gateway.yaml'],
  ['/a/b/c/gateway.yaml', './c/gateway.yaml'],
  ['/a/b/..dots/gateway.yaml', './..dots/gateway.yaml'],
  ['/a/gateway.yaml', '/a/gateway.yaml'],
  ['/etc/gateway/gateway.yaml', '/etc/gateway/gateway.yaml'],
])('shows %s from /a/b as %s', (path, shown) => {
  expect(shownPath(path, '/a/b')).toBe(shown);
});
