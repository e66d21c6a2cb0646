import { type AddressInfo, createServer } from 'node:net';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findPortOwner, shownCommand } from './port-owner.ts';
import { skipping } from '../../../test/support/skipping.ts';

it.skipIf(skipping(existsSync('/proc/net/tcp') ? undefined : 'this system has no /proc/net/tcp'))(
  'findPortOwner() returns the process that listens on a port',
  async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const owner = findPortOwner(port);
    await new Promise((resolve) => server.close(resolve));
    expect(owner).toEqual({ pid: process.pid, command: expect.stringMatching(/node|vitest/) as string });
    expect(findPortOwner(port)).toBeUndefined();
  },
);

it.each([
  [['node', '--no-maglev', '--v8-pool-size=1', '/opt/gateway/dist/bin.js', 'start', '-c', 'secret'], 'node /opt/gateway/dist/bin.js'],
  [['/usr/bin/node', 'a.js'], '/usr/bin/node a.js'],
  [['node', '--interactive'], 'node'],
  [['node', '-e', 'secret'], 'node'],
  [['/usr/bin/python3.12', '-u', 'app.py', '--token', 'secret'], '/usr/bin/python3.12 app.py'],
  [['python', '-c', 'secret'], 'python'],
  [['redis-server', '--requirepass', 'secret'], 'redis-server'],
  [[], ''],
])('shownCommand() shows %j as %j', (args, expected) => {
  expect(shownCommand(args)).toBe(expected);
});
