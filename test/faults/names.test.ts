import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lookupFor } from '../../src/transport/outbound/egress.ts';
import { createNames, type Names } from '../../src/transport/outbound/names/resolver.ts';
import { type NameServer, startNameServer } from './name-server.ts';

let server: NameServer;
let names: Names;
let make: (tryMs: number) => Names;
/** Milliseconds that nothing here takes: what is waited for so long comes, or is ended by the test. */
const patient = 60_000;
let dir: string;
let now: number;
/** Names that the system was asked for, and what it says of them: an address, nothing, or null for no answer at all. */
let system: { readonly asked: string[]; answer: (name: string) => string | undefined | null };
let waiting: (() => void)[];

beforeEach(async () => {
  server = await startNameServer();
  dir = await mkdtemp(join(tmpdir(), 'gateway-names-'));
  now = 0;
  waiting = [];
  system = { asked: [], answer: () => undefined };
  const bySystem: LookupFunction = (name, _options, callback) => {
    system.asked.push(name);
    const found = system.answer(name);
    const say = (): void =>
      typeof found !== 'string'
        ? callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), '', 0)
        : callback(null, [{ address: found, family: 4 }]);
    if (found === null) waiting.push(say);
    else setImmediate(say);
  };
  await writeFile(join(dir, 'hosts'), '127.0.0.1 localhost\n10.0.0.9 inside.test other.test # a comment\n::9 inside.test\nnonsense\n');
  make = (tryMs) =>
    createNames({
      monotonic: () => now,
      hostsFile: join(dir, 'hosts'),
      system: bySystem,
      servers: [server.address],
      tryMs,
      familyMs: patient,
    });
  names = make(200);
});
afterEach(async () => {
  for (const say of waiting) say();
  names.close();
  server.close();
  await rm(dir, { recursive: true, force: true });
});

/** Addresses, or the code of the error. */
const find = (name: string, options: object = { all: true }, lookup = names.lookup): Promise<readonly string[] | string> =>
  new Promise((resolve) => {
    lookup(name, options, (error, found) => {
      if (error !== null) resolve(error.code ?? error.message);
      else resolve(typeof found === 'string' ? [found] : (found as LookupAddress[]).map(({ address }) => address));
    });
  });

const at = (...addresses: readonly string[]): { readonly addresses: readonly string[]; readonly ttl: number } => ({ addresses, ttl: 30 });

describe('a name', () => {
  it.each([
    ['of the name server', 'a.test', { all: true }, ['192.0.2.1', '2001:db8::1']],
    ['of one family', 'a.test', { all: true, family: 6 }, ['2001:db8::1']],
    ['for a socket that wants one address', 'a.test', {}, ['192.0.2.1']],
    ['of the hosts file', 'INSIDE.test', { all: true }, ['10.0.0.9', '::9']],
    ['of the hosts file, by its alias', 'other.test', {}, ['10.0.0.9']],
    ['that only the system knows', 'printer.local', {}, ['10.0.0.77']],
    ['of one label', 'service', {}, ['10.0.0.78']],
    ['that nobody knows', 'nobody.test', {}, 'ENOTFOUND'],
    ['that never exists', 'name.invalid', {}, 'ENOTFOUND'],
    ['whose server fails', 'broken.test', {}, 'EAI_AGAIN'],
  ] as const)('%s', async (_what, name, options, expected) => {
    server.says = (asked) => (asked === 'a.test' ? at('192.0.2.1', '2001:db8::1') : asked === 'broken.test' ? 'failure' : 'unknown');
    system.answer = (asked) => (asked === 'printer.local' ? '10.0.0.77' : asked === 'service' ? '10.0.0.78' : undefined);
    expect(await find(name, options)).toEqual(expected);
  });

  it('of the hosts file is found while another reads the file', async () => {
    expect(await Promise.all(['inside.test', 'other.test', 'inside.test'].map((name) => find(name, {})))).toEqual([
      ['10.0.0.9'],
      ['10.0.0.9'],
      ['10.0.0.9'],
    ]);
  });

  it('with one address is not held up by the other family', async () => {
    server.says = () => at('192.0.2.1');
    expect(await find('four.test')).toEqual(['192.0.2.1']);
    server.says = () => at('2001:db8::2');
    expect(await find('six.test')).toEqual(['2001:db8::2']);
  });
});

describe('a dead name server', () => {
  it('holds up its own names only', async () => {
    server.says = (name) => (name.endsWith('.dead.test') ? 'silence' : at('192.0.2.1'));
    const order: string[] = [];
    names = make(patient);
    const note = (name: string): Promise<unknown> => find(name).then((found) => order.push(typeof found === 'string' ? found : name));
    const dead = Array.from({ length: 40 }, (_, i) => note(`n${i}.dead.test`));
    const living = Array.from({ length: 40 }, (_, i) => note(`n${i}.test`));
    // Files need the threads that the system's resolution would take.
    await Promise.all([...living, readFile(join(dir, 'hosts'))]);
    expect(order).toHaveLength(40);
    expect(order).not.toContain('EAI_AGAIN');
    names.close();
    await Promise.all(dead);
    expect(order.slice(40)).toEqual(Array.from({ length: 40 }, () => 'EAI_AGAIN'));
    expect(system.asked).toEqual([]);
  });

  it('leaves what was known for a while', async () => {
    server.says = () => at('192.0.2.1');
    await find('a.test');
    server.says = () => 'silence';
    now = 31_000;
    expect(await find('a.test')).toEqual(['192.0.2.1']);
    now = 700_000;
    expect(await find('a.test')).toBe('EAI_AGAIN');
  });

  it('takes two threads at the most for names that only the system knows, and a bounded number waits', async () => {
    system.answer = () => null;
    const all = Array.from({ length: 100 }, (_, i) => find(`host${i}`));
    // All of them wait for the hosts file, and pass it in one turn.
    while (system.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    server.says = () => at('192.0.2.1');
    expect(await find('a.test')).toEqual(['192.0.2.1']);
    expect(system.asked).toHaveLength(2);
    system.answer = () => undefined;
    for (const say of waiting.splice(0)) say();
    const found = await Promise.all(all);
    expect([found.filter((code) => code === 'ENOTFOUND').length, found.filter((code) => code === 'EAI_AGAIN').length]).toEqual([66, 34]);
  });
});

describe('an answer', () => {
  it('is asked for once, however many wait', async () => {
    server.says = () => at('192.0.2.1');
    await Promise.all(Array.from({ length: 50 }, () => find('a.test')));
    await find('A.test');
    expect(server.asked.map(([name, type]) => `${name} ${type}`).toSorted()).toEqual(['a.test 1', 'a.test 28']);
  });

  it.each([
    ['as long as it says', 30, 29_000, 31_000],
    ['for a second at least', 0, 900, 1100],
    ['for a minute at most', 86_400, 59_000, 61_000],
  ])('is kept %s', async (_how, ttl, before, behind) => {
    server.says = () => ({ addresses: ['192.0.2.1'], ttl });
    await find('a.test');
    server.says = () => ({ addresses: ['192.0.2.2'], ttl });
    now = before;
    expect(await find('a.test')).toEqual(['192.0.2.1']);
    now = behind;
    expect(await find('a.test')).toEqual(['192.0.2.2']);
  });

  it('that there is no such name is kept for a moment', async () => {
    expect(await find('new.test')).toBe('ENOTFOUND');
    server.says = () => at('192.0.2.1');
    now = 1000;
    expect(await find('new.test')).toBe('ENOTFOUND');
    now = 3000;
    expect(await find('new.test')).toEqual(['192.0.2.1']);
  });

  it('is kept for a bounded number of names, and a bounded number is asked for at once', async () => {
    server.says = () => at('192.0.2.1');
    names = make(patient);
    // Few at once: a socket has room for some hundred datagrams, and one that is lost is not asked for again here.
    for (let round = 0; round < 24; round += 1) await Promise.all(Array.from({ length: 50 }, (_, i) => find(`n${round}-${i}.test`)));
    expect(names.size).toEqual({ kept: 1024, asked: 0 });
    server.says = () => 'silence';
    const many = Array.from({ length: 300 }, (_, i) => find(`m${i}.dead.test`));
    expect(names.size.asked).toBe(256);
    await expect.poll(() => server.asked.some(([name]) => name === 'm0.dead.test')).toBe(true);
    names.close();
    expect(new Set(await Promise.all(many))).toEqual(new Set(['EAI_AGAIN']));
    expect(names.size.asked).toBe(0);
  });

  it('is checked as it is used: an inner address of a name that a request chose is refused, kept or not', async () => {
    const checked = lookupFor('request', { hasHost: () => false, hasAddress: () => false }, undefined, names.lookup);
    server.says = () => ({ addresses: ['93.184.216.34'], ttl: 0 });
    expect(await find('rebind.test', { all: true }, checked)).toEqual(['93.184.216.34']);
    server.says = () => ({ addresses: ['127.0.0.1'], ttl: 0 });
    now = 1100;
    expect(await find('rebind.test', { all: true }, checked)).toBe('not_allowed');
    expect(await find('rebind.test', { all: true }, checked)).toBe('not_allowed');
  });
});
