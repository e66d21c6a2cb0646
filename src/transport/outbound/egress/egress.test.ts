import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Trust } from '../../../core/snapshot.ts';
import { createEgress } from './egress.ts';

const egress = createEgress(() => []);

describe('check() of a host from a request', () => {
  const open = [
    'https://api.openai.com',
    'https://API.OpenAI.com:8443/v1',
    'https://my-resource.openai.azure.com/openai?x=1',
    'https://xn--bcher-kva.de',
    'https://8.8.8.8',
    'https://[2606:4700::6810:84e5]',
    'https://[2606:4700::6810:84e5]:8443/v1',
    'https://a.b.c.d.e.f.g.h.i.com',
    `https://${'a.'.repeat(8)}${'a'.repeat(233)}.com`,
    'wss://api.openai.com/v1/realtime',
    // NAT64 of a public address is a public address.
    'https://[64:ff9b::808:808]',
  ];
  test.each(open)('allows %s', (origin) => {
    expect(egress.check(origin, 'request')).toBeUndefined();
  });

  const closed: readonly (readonly [why: string, origins: readonly string[]])[] = [
    [
      'not https',
      [
        'http://api.openai.com',
        'ws://api.openai.com',
        'ftp://api.openai.com',
        'file:///etc/passwd',
        'gopher://x.com',
        'unix:/run/x.sock',
        'data:,x',
        'javascript:1',
      ],
    ],
    [
      'not a URL',
      [
        '',
        'api.openai.com',
        '//api.openai.com',
        'https://',
        'https:/api.openai.com',
        'https:api.openai.com',
        'https://a b.com',
        'https://.',
        'https://[::1',
        'https://x.com:99999',
      ],
    ],
    [
      'user information',
      [
        'https://user@api.openai.com',
        'https://u:p@api.openai.com',
        'https://api.openai.com@evil.com',
        'https://@api.openai.com',
        'https://api.openai.com:443@10.0.0.1',
      ],
    ],
    [
      'odd characters',
      [
        'https://api.openai.com\\@evil.com',
        'https://api.openai.com\r\nx: y',
        ' https://api.openai.com',
        'https://api.openai.com ',
        'https://api\t.openai.com',
        'https://bücher.de',
        'https://①②⑦.0.0.1',
        'https://api。openai.com',
        'https://%31%32%37.0.0.1',
        'https://127.0.0.1%2f.com',
        'https://a.com/\u0000',
        'https://a.com/\u0007',
      ],
    ],
    [
      'invalid dots and labels',
      ['https://api.openai.com.', 'https://127.0.0.1.', 'https://a..com', 'https://.a.com', 'https://a.b.c.d.e.f.g.h.i.j.com'],
    ],
    ['a host name that is too long', [`https://${'a.'.repeat(8)}${'a'.repeat(234)}.com`]],
    [
      'loopback',
      [
        'https://127.0.0.1',
        'https://127.255.0.9',
        'https://localhost',
        'https://LOCALHOST:8787',
        'https://x.localhost',
        'https://[::1]',
        'https://[::]',
        'https://0.0.0.0',
        'https://0.1.2.3',
      ],
    ],
    [
      'unusual spellings of addresses',
      [
        'https://2130706433',
        'https://0x7f000001',
        'https://0x7f.1',
        'https://0177.0.0.1',
        'https://127.1',
        'https://127.0.1',
        'https://017700000001',
        'https://0x8.8.8.8',
        'https://8.8.2056',
        'https://010.8.8.8',
      ],
    ],
    [
      'private addresses',
      [
        'https://10.0.0.1',
        'https://172.16.0.1',
        'https://172.31.255.255',
        'https://192.168.1.1',
        'https://[fd00::1]',
        'https://[fc00::1]',
        'https://[fec0::1]',
      ],
    ],
    ['link-local', ['https://169.254.1.1', 'https://[fe80::1]', 'https://[fe80::1%25eth0]']],
    ['carrier-grade NAT addresses', ['https://100.64.0.1', 'https://100.127.255.255']],
    [
      'multicast and reserved addresses',
      [
        'https://224.0.0.1',
        'https://239.255.255.255',
        'https://240.0.0.1',
        'https://255.255.255.255',
        'https://[ff02::1]',
        'https://192.0.2.1',
        'https://198.18.0.1',
      ],
    ],
    [
      'metadata services',
      [
        'https://169.254.169.254',
        'https://100.100.100.200',
        'https://192.0.0.192',
        'https://168.63.129.16',
        'https://[fd00:ec2::254]',
        'https://metadata.google.internal',
        'https://metadata',
        'https://instance-data',
      ],
    ],
    [
      'IPv4 inside IPv6',
      [
        'https://[::ffff:127.0.0.1]',
        'https://[::ffff:7f00:1]',
        'https://[::127.0.0.1]',
        'https://[0:0:0:0:0:ffff:a00:1]',
        'https://[64:ff9b::7f00:1]',
        'https://[64:ff9b:1::1]',
        'https://[2002:7f00:1::]',
        'https://[2001:0:53aa:64c::1]',
        'https://[::ffff:0:127.0.0.1]',
      ],
    ],
    [
      'names of private networks',
      [
        'https://db.local',
        'https://x.internal',
        'https://host.docker.internal',
        'https://nas.lan',
        'https://x.corp',
        'https://a.test',
        'https://a.LOCAL',
        'https://x.default.svc',
        'https://x.svc.cluster.local',
        'https://x.home.arpa',
        'https://x.intranet',
        'https://router',
      ],
    ],
  ];
  test.each(closed.flatMap(([reason, origins]) => origins.map((origin) => [reason, origin] as const)))(
    'rejects with not_allowed (403): %s: %j',
    (_name, origin) => {
      const error = egress.check(origin, 'request');
      expect(error?.code).toBe('not_allowed');
      expect(error?.status).toBe(403);
      expect(error?.hint).toContain('server.egress.allow');
    },
  );

  test('does not repeat a password of the URL in its message', () => {
    expect(egress.check('https://user:s3cret@10.0.0.1', 'request')?.message).not.toContain('s3cret');
  });
});

describe('check() of a host from gateway.yaml', () => {
  test.each([
    'http://127.0.0.1:8080',
    'http://localhost',
    'https://10.0.0.1/openai',
    'http://ollama:11434',
    'http://[::1]:1',
    'https://x.internal',
  ])('allows %s', (origin) => {
    expect(egress.check(origin, 'operator')).toBeUndefined();
  });

  test.each(['', 'localhost:8080', 'ftp://x', 'file:///x', 'http://'])('rejects an origin that is not http or https: %j', (origin) => {
    expect(egress.check(origin, 'operator')).toMatchObject({
      code: 'not_allowed',
      message: 'The host of the provider is not an http or https URL.',
      hint: 'Correct custom_host of the provider in gateway.yaml.',
    });
  });
});

describe('server.egress.proxy', () => {
  test.each<[host: string, trust: Trust, isProxied: boolean]>([
    ['api.example.com', 'operator', true],
    ['api.example.com', 'request', false],
    ['listed.example.com', 'request', true],
    ['10.1.2.3', 'request', true],
    ['10.2.0.0', 'request', false],
  ])('%s of a %s uses it: %s', (host, trust, isProxied) => {
    const egress = createEgress(
      () => ['listed.example.com', '10.1.0.0/16'],
      () => undefined,
      () => ({ url: 'http://p', except: [] }),
    );
    expect(egress.proxy(trust)({ isTls: true, host }) !== undefined).toBe(isProxied);
  });
});

describe('server.egress.allow', () => {
  const listed = createEgress(() => ['localhost', 'Ollama', '*.corp.example.com', '10.20.0.0/16', '192.168.1.7', 'fd00::/8']);
  const opened = [
    'http://localhost:11434',
    'http://ollama',
    'https://a.corp.example.com',
    'http://a.b.corp.example.com',
    'http://10.20.255.1:80',
    'https://192.168.1.7',
    'http://[fd12::1]',
    'https://[::ffff:10.20.0.1]',
  ];
  test.each(opened)('allows %s', (origin) => {
    expect(listed.check(origin, 'request')).toBeUndefined();
  });

  const stillBlocked = [
    'http://corp.example.com',
    'http://xcorp.example.com',
    'http://a.corp.example.com.evil.com',
    'https://10.21.0.1',
    'https://192.168.1.8',
    'https://[fe00::1]',
    'https://127.0.0.1',
    'https://169.254.169.254',
    'http://u@localhost',
    'http://169085441',
    'http://0x0a.0x14.0.1',
    'http://localhost.',
  ];
  test.each(stillBlocked)('does not allow hosts that only resemble its entries: %s', (origin) => {
    expect(listed.check(origin, 'request')?.code).toBe('not_allowed');
  });

  test.each(['', '*', '*.', 'http://x', 'a b', '10.0.0.0/33', '10.0.0.0/', 'x/8', 'a..b', '*x.com', 'x.*', 'fd00::/129', 'host:80'])(
    'rejects the entry %j',
    (entry) => {
      expect(() => createEgress(() => [entry]).check('https://api.example.com', 'request')).toThrow(/in server\.egress is neither/);
    },
  );

  test('applies a changed list to the next check', () => {
    let list: readonly string[] = [];
    const resolve: LookupFunction = () => undefined;
    const egress = createEgress(() => list, resolve);
    expect(egress.check('http://localhost', 'request')?.code).toBe('not_allowed');
    list = ['localhost'];
    expect(egress.check('http://localhost', 'request')).toBeUndefined();
    expect(egress.lookup('operator')).toBe(resolve);
  });
});

describe('lookup() of a name from a request', () => {
  const rows: readonly (readonly [string, readonly string[], boolean])[] = [
    ['allows a public address', ['8.8.8.8'], true],
    ['allows two public addresses', ['8.8.8.8', '2606:4700::1'], true],
    ['rejects loopback', ['127.0.0.1'], false],
    ['rejects a public and a private address', ['8.8.8.8', '10.0.0.1'], false],
    ['rejects an IPv4-mapped loopback', ['::ffff:127.0.0.1'], false],
    ['rejects an IPv4-mapped loopback in hexadecimal', ['::ffff:7f00:1'], false],
    ['rejects link-local with a zone', ['fe80::1%eth0'], false],
    ['allows an address of the allow list', ['10.9.0.1'], true],
  ];
  const lookupWith = (found: LookupFunction, allow: readonly string[] = []): LookupFunction =>
    createEgress(() => allow, found).lookup('request');
  const allow = ['10.9.0.0/16', 'inside.example.com'];

  test.each(rows)('%s', async (_name, addresses, isOpen) => {
    for (const isAll of [true, false]) {
      const resolvedAddresses = await resolve(lookupWith(fixed(addresses), allow), 'rebind.example.com', isAll);
      if (isOpen) expect(resolvedAddresses).toEqual(isAll ? addresses : addresses.slice(0, 1));
      else expect(resolvedAddresses).toMatchObject({ code: 'not_allowed' });
    }
  });

  test('does not check addresses of allowed names and of operator hosts', async () => {
    expect(await resolve(lookupWith(fixed(['127.0.0.1']), allow), 'inside.example.com', true)).toEqual(['127.0.0.1']);
    expect(await resolve(createEgress(() => [], fixed(['127.0.0.1'])).lookup('operator'), 'x.example.com', true)).toEqual(['127.0.0.1']);
  });

  test('reports ENOTFOUND for a name that does not exist', async () => {
    const failingLookup: LookupFunction = (_name, _options, callback) =>
      callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), '', 0);
    expect(await resolve(lookupWith(failingLookup), 'x.example.com', true)).toMatchObject({
      code: 'ENOTFOUND',
    });
    expect(await resolve(lookupWith(fixed([])), 'x.example.com', true)).toMatchObject({
      code: 'ENOTFOUND',
    });
  });

  test('rejects localhost on this machine', async () => {
    expect(await resolve(egress.lookup('request'), 'localhost', true)).toMatchObject({ code: 'not_allowed' });
  });
});

function fixed(addresses: readonly string[]): LookupFunction {
  return (_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
}

/** Addresses, or the error. */
function resolve(lookup: LookupFunction, name: string, isAll: boolean): Promise<unknown> {
  return new Promise((settle) => {
    lookup(name, { all: isAll }, (error, addressList) =>
      settle(error ?? (typeof addressList === 'string' ? [addressList] : addressList.map((entry) => entry.address))),
    );
  });
}
