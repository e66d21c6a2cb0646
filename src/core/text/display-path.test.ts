import { expect, it } from 'vitest';
import { barePath, displayPath } from './display-path.ts';

it.each([
  ['/srv/gateway.yaml', '/srv', './gateway.yaml', 'gateway.yaml'],
  ['/srv/..a/b.yaml', '/srv', './..a/b.yaml', '..a/b.yaml'],
  ['/etc/gateway/gateway.yaml', '/srv', '/etc/gateway/gateway.yaml', '/etc/gateway/gateway.yaml'],
  ['/etc/gateway/gateway.yaml', '/', '/etc/gateway/gateway.yaml', '/etc/gateway/gateway.yaml'],
  ['/srv', '/srv', '/srv', '/srv'],
])('displays %s in the working directory %s as %s', (path, cwd, shown, bare) => {
  expect([displayPath(path, cwd), barePath(path, cwd)]).toEqual([shown, bare]);
});
