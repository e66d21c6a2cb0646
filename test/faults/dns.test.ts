import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEgress } from '../../src/transport/outbound/egress/egress.ts';
import { NameResolver } from '../../src/transport/outbound/dns/resolver.ts';
import { type NameServer, startNameServer } from './dns-server.ts';

let server: NameServer;
let names: NameResolver;
let make: (tryMs: number) => NameResolver;
/** A timeout in milliseconds that never expires here: the response arrives earlier, or the test ends the wait. */
const longTimeout = 60_000;
let dir: string;
let now: number;
/** Names that the system resolver was asked for, and its answer: an address, nothing, or null for no response. */
let system: { readonly lookups: string[]; resolve: (name: string) => string | undefined | null };
let waiting: (() => void)[];

beforeEach(async () => {
  server = await startNameServer();
  dir = await mkdtemp(join(tmpdir(), 'gateway-names-'));
  now = 0;
  waiting = [];
  system = { lookups: [], resolve: () => undefined };
  const bySystem: LookupFunction = (name, _options, callback) => {
    system.lookups.push(name);
    const addresses = system.resolve(name);
    const respond = (): void =>
      typeof addresses !== 'string'
        ? callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), '', 0)
        : callback(null, [{ address: addresses, family: 4 }]);
    if (addresses === null) waiting.push(respond);
    else setImmediate(respond);
  };
  await writeFile(join(dir, 'hosts'), '127.0.0.1 localhost\n10.0.0.9 inside.test other.test # a comment\n::9 inside.test\nnonsense\n');
  make = (tryMs) =>
    new NameResolver({
      monotonic: () => now,
      hostsFile: join(dir, 'hosts'),
      systemResolver: bySystem,
      servers: [server.address],
      tryMs,
      familyMs: longTimeout,
    });
  names = make(200);
});
afterEach(async () => {
  for (const respond of waiting) respond();
  names.close();
  server.close();
  await rm(dir, { recursive: true, force: true });
});

/** Returns addresses, or the code of the error. */
const find = (name: string, options: object = { all: true }, lookup = names.lookup): Promise<readonly string[] | string> =>
  new Promise((resolve) => {
    lookup(name, options, (error, addresses) => {
      if (error !== null) resolve(error.code ?? error.message);
      else resolve(typeof addresses === 'string' ? [addresses] : (addresses as LookupAddress[]).map(({ address }) => address));
    });
  });

const at = (...addresses: readonly string[]): { readonly addresses: readonly string[]; readonly ttl: number } => ({ addresses, ttl: 30 });

describe('DNS lookup', () => {
  it.each([
    ['known to the DNS server', 'a.test', { all: true }, ['192.0.2.1', '2001:db8::1']],
    ['with one address family', 'a.test', { all: true, family: 6 }, ['2001:db8::1']],
    ['for a socket that wants one address', 'a.test', {}, ['192.0.2.1']],
    ['of the hosts file', 'INSIDE.test', { all: true }, ['10.0.0.9', '::9']],
    ['of the hosts file by its alias', 'other.test', {}, ['10.0.0.9']],
    ['that only the system resolver knows', 'printer.local', {}, ['10.0.0.77']],
    ['with one label', 'service', {}, ['10.0.0.78']],
    ['that does not exist', 'nobody.test', {}, 'ENOTFOUND'],
    ['of the TLD invalid', 'name.invalid', {}, 'ENOTFOUND'],
    ['whose DNS server fails', 'broken.test', {}, 'EAI_AGAIN'],
  ] as const)('returns the addresses or the error for a name %s', async (_name, name, options, expected) => {
    server.reply = (host) => (host === 'a.test' ? at('192.0.2.1', '2001:db8::1') : host === 'broken.test' ? 'failure' : 'unknown');
    system.resolve = (host) => (host === 'printer.local' ? '10.0.0.77' : host === 'service' ? '10.0.0.78' : undefined);
    expect(await find(name, options)).toEqual(expected);
  });

  it('finds names of the hosts file while another lookup reads the file', async () => {
    expect(await Promise.all(['inside.test', 'other.test', 'inside.test'].map((name) => find(name, {})))).toEqual([
      ['10.0.0.9'],
      ['10.0.0.9'],
      ['10.0.0.9'],
    ]);
  });

  it('does not wait for the other address family if a name has one address', async () => {
    server.reply = () => at('192.0.2.1');
    expect(await find('four.test')).toEqual(['192.0.2.1']);
    server.reply = () => at('2001:db8::2');
    expect(await find('six.test')).toEqual(['2001:db8::2']);
  });
});

describe('a DNS server that does not respond', () => {
  it('delays only the names that it serves', async () => {
    server.reply = (name) => (name.endsWith('.dead.test') ? 'silence' : at('192.0.2.1'));
    const order: string[] = [];
    names = make(longTimeout);
    const recordOrder = (name: string): Promise<unknown> =>
      find(name).then((result) => order.push(typeof result === 'string' ? result : name));
    const dead = Array.from({ length: 40 }, (_, i) => recordOrder(`n${i}.dead.test`));
    const running = Array.from({ length: 40 }, (_, i) => recordOrder(`n${i}.test`));
    // Reading files needs the threads that the system resolver would use.
    await Promise.all([...running, readFile(join(dir, 'hosts'))]);
    expect(order).toHaveLength(40);
    expect(order).not.toContain('EAI_AGAIN');
    names.close();
    await Promise.all(dead);
    expect(order.slice(40)).toEqual(Array.from({ length: 40 }, () => 'EAI_AGAIN'));
    expect(system.lookups).toEqual([]);
  });

  it('does not prevent the use of expired addresses for a while', async () => {
    server.reply = () => at('192.0.2.1');
    await find('a.test');
    server.reply = () => 'silence';
    now = 31_000;
    expect(await find('a.test')).toEqual(['192.0.2.1']);
    now = 700_000;
    expect(await find('a.test')).toBe('EAI_AGAIN');
  });

  it('does not prevent the use of expired addresses while as many lookups run as are allowed', async () => {
    server.reply = (name) => (name === 'a.test' ? at('192.0.2.1') : 'silence');
    await find('a.test');
    now = 31_000;
    const dead = Array.from({ length: 256 }, (_, i) => find(`n${i}.dead.test`));
    expect(await find('a.test')).toEqual(['192.0.2.1']);
    expect(await find('new.test')).toBe('EAI_AGAIN');
    await Promise.all(dead);
  });

  it('limits the system resolver to two threads and a number of waiting names', async () => {
    system.resolve = () => null;
    const all = Array.from({ length: 100 }, (_, i) => find(`host${i}`));
    // All of them wait for the hosts file and continue in one turn.
    while (system.lookups.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    server.reply = () => at('192.0.2.1');
    expect(await find('a.test')).toEqual(['192.0.2.1']);
    expect(system.lookups).toHaveLength(2);
    system.resolve = () => undefined;
    for (const respond of waiting.splice(0)) respond();
    const results = await Promise.all(all);
    expect([results.filter((code) => code === 'ENOTFOUND').length, results.filter((code) => code === 'EAI_AGAIN').length]).toEqual([
      66, 34,
    ]);
  });
});

describe('a DNS response', () => {
  it('is requested once for concurrent lookups', async () => {
    server.reply = () => at('192.0.2.1');
    await Promise.all(Array.from({ length: 50 }, () => find('a.test')));
    await find('A.test');
    expect(server.queries.map(([name, type]) => `${name} ${type}`).toSorted()).toEqual(['a.test 1', 'a.test 28']);
  });

  it.each([
    ['for its TTL', 30, 29_000, 31_000],
    ['for at least one second', 0, 900, 1100],
    ['for at most one minute', 86_400, 59_000, 61_000],
  ])('is cached %s', async (_how, ttl, before, behind) => {
    server.reply = () => ({ addresses: ['192.0.2.1'], ttl });
    await find('a.test');
    server.reply = () => ({ addresses: ['192.0.2.2'], ttl });
    now = before;
    expect(await find('a.test')).toEqual(['192.0.2.1']);
    now = behind;
    expect(await find('a.test')).toEqual(['192.0.2.2']);
  });

  it('that the name does not exist is cached for a moment', async () => {
    expect(await find('new.test')).toBe('ENOTFOUND');
    server.reply = () => at('192.0.2.1');
    now = 1000;
    expect(await find('new.test')).toBe('ENOTFOUND');
    now = 3000;
    expect(await find('new.test')).toEqual(['192.0.2.1']);
  });

  it('is cached for a limited number of names, and the number of concurrent queries is limited', async () => {
    server.reply = () => at('192.0.2.1');
    names = make(longTimeout);
    // Few at once: a socket buffers some hundred datagrams, and a lost one is not repeated here.
    for (let round = 0; round < 24; round += 1) await Promise.all(Array.from({ length: 50 }, (_, i) => find(`n${round}-${i}.test`)));
    expect(names.size).toEqual({ cached: 1024, pending: 0 });
    server.reply = () => 'silence';
    const many = Array.from({ length: 300 }, (_, i) => find(`m${i}.dead.test`));
    expect(names.size.pending).toBe(256);
    await expect.poll(() => server.queries.some(([name]) => name === 'm0.dead.test')).toBe(true);
    names.close();
    expect(new Set(await Promise.all(many))).toEqual(new Set(['EAI_AGAIN']));
    expect(names.size.pending).toBe(0);
  });

  it('is checked on every use: a private address is rejected for a host chosen by a request', async () => {
    const checked = createEgress(() => [], names.lookup).lookup('request');
    server.reply = () => ({ addresses: ['93.184.216.34'], ttl: 0 });
    expect(await find('rebind.test', { all: true }, checked)).toEqual(['93.184.216.34']);
    server.reply = () => ({ addresses: ['127.0.0.1'], ttl: 0 });
    now = 1100;
    expect(await find('rebind.test', { all: true }, checked)).toBe('not_allowed');
    expect(await find('rebind.test', { all: true }, checked)).toBe('not_allowed');
  });
});
