import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { GatewayError } from '../../../core/error.ts';
import { headerNames } from '../header-bag.ts';
import { PlainConnections, type PlainRequest } from './plain-connections.ts';
import { turns } from '../../../../test/support/time.ts';
import { TimerWheel } from '../../wire/timer-wheel.ts';

/** PlainConnections whose requests the test answers; `node:http` answers requests handed over to it with "node". */

const names = headerNames(['x-gateway-']);
const line = 'POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n';
const plain = `${line}content-length: 2\r\n\r\n{}`;
const defects: unknown[] = [];
let server: Server;
let front: PlainConnections;
let clients: TestClient[] = [];

class TestClient {
  readonly socket: Socket;
  text = '';

  constructor() {
    this.socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1'))).on('error', () => {});
    clients.push(this);
  }

  async sees(part: string | RegExp): Promise<void> {
    await until(() => this.text.search(part) >= 0, `${String(part)} in ${JSON.stringify(this.text.slice(0, 1000))}`);
  }

  async closed(): Promise<void> {
    await until(() => this.socket.closed, 'the end of the connection');
  }
}

async function until(look: () => boolean, what: string): Promise<void> {
  const check = (): void => {
    if (!look()) throw new Error(`waited in vain for ${what}`);
  };
  await vi.waitFor(check, { timeout: 60_000, interval: 5 });
}

async function open(serve: (request: PlainRequest) => void): Promise<TestClient> {
  server = createServer((_request, response) => response.end('node'));
  const ignore = (): void => {};
  front = new PlainConnections(server, {
    wheel: new TimerWheel(),
    now: () => 0,
    names: () => names,
    serve,
    extraHeaders: () => undefined,
    onDefect: (error) => defects.push(error),
    errorResponses: { late: ignore, unreadable: ignore, defect: (socket) => socket.destroy() },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new TestClient();
}

afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  clients = [];
  front.closeAll();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  for (const defect of defects.splice(0)) throw defect;
});

const answer = ({ client }: PlainRequest, text = 'ok'): void => {
  client.head(200, ['content-length', text.length.toString()]);
  client.end(Buffer.from(text));
};

describe('PlainConnections with a response', () => {
  const large = Buffer.alloc(300_000, 'x');

  it('writes the same headers as node:http', async () => {
    const client = await open(answer);
    client.socket.write(plain);
    await client.sees(/ok$/);
    expect(client.text).toBe(
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=75\r\n\r\nok',
    );
  });

  it('sends a response of any size completely, with content-length and chunked', async () => {
    let served = 0;
    const client = await open(({ client: to }) => {
      served += 1;
      if (served === 1) to.head(200, ['content-length', String(large.length * 2)]);
      else to.head(200, [], true);
      to.write(large);
      to.end(large);
    });
    client.socket.write(plain);
    await vi.waitFor(() => expect(client.text.length).toBeGreaterThan(600_000), { timeout: 60_000 });
    expect(client.text.endsWith(`\r\n\r\n${'x'.repeat(600_000)}`)).toBe(true);
    client.text = '';
    client.socket.write(plain);
    await client.sees(/\r\n0\r\n\r\n$/);
    const frame = `493e0\r\n${'x'.repeat(300_000)}\r\n`;
    expect(client.text.endsWith(`Transfer-Encoding: chunked\r\n\r\n${frame}${frame}0\r\n\r\n`)).toBe(true);
  });

  it.each([
    ['fewer', '3'],
    ['more', '1'],
  ])('closes the connection if the response has %s bytes than its content-length', async (_what, length) => {
    const client = await open(({ client: to }) => {
      to.head(200, ['content-length', length]);
      to.end(Buffer.from('ok'));
    });
    client.socket.write(plain);
    await client.closed();
    expect(client.text).toMatch(/ok$/);
  });

  it.each([
    ['value', ['x-bad', 'a\r\nb: c']],
    ['value', ['x-bad', 'a\0b']],
    ['value', ['x-bad', '\u{100}']],
    ['name', ['x bad', 'a']],
  ])('throws for a header with an invalid %s and writes nothing of it', async (_what, headers) => {
    let thrown: unknown;
    const client = await open((request) => {
      try {
        request.client.head(200, headers);
      } catch (error) {
        thrown = error;
      }
      answer(request);
    });
    client.socket.write(plain);
    await client.sees(/ok$/);
    expect(thrown).toBeInstanceOf(TypeError);
    expect(client.text).not.toContain('bad');
  });

  it('resets the connection if the response is aborted where its end would look complete', async () => {
    const client = await open(({ client: to }) => {
      to.head(200, ['content-length', '9'], true);
      setTimeout(() => to.destroy(), 20);
    });
    let code: string | undefined;
    client.socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code)).write(plain);
    await client.closed();
    expect(code).toBe('ECONNRESET');
  });

  it('waits for a slow client and calls onLeft when the last byte is sent', async () => {
    const told: string[] = [];
    const client = await open(({ client: to }) => {
      to.onDrain = () => told.push('drain');
      to.onDisconnect = () => told.push('gone');
      to.head(200, []);
      for (let n = 0; n < 60; n += 1) to.write(large);
      to.end();
      to.onFlushed = () => told.push('left');
      told.push(to.isDisconnected ? 'gone' : 'waiting');
    });
    client.socket.pause();
    client.socket.write(plain);
    await vi.waitFor(() => expect(told).toEqual(['waiting']), { timeout: 60_000 });
    client.socket.resume();
    await vi.waitFor(() => expect(told).toContain('left'), { timeout: 60_000 });
    expect(told).not.toContain('gone');
  });
});

describe('PlainConnections after a client disconnect', () => {
  it.each(['end', 'destroy'] as const)('calls onGone and onLeft once: %s', async (how) => {
    const told: string[] = [];
    const client = await open(({ client: to }) => {
      to.onDisconnect = () => told.push('gone');
      to.onFlushed = () => told.push('left');
      to.head(200, [], true);
    });
    client.socket.write(plain);
    await client.sees('200 OK');
    client.socket[how]();
    await vi.waitFor(() => expect(told).toEqual(['gone', 'left']), { timeout: 60_000 });
    await client.closed();
    expect(told).toEqual(['gone', 'left']);
  });
});

describe('PlainConnections with a chunked body', () => {
  const chunked = `${line}transfer-encoding: chunked\r\n\r\n`;
  const read = async ({ body }: PlainRequest): Promise<string> => {
    if (Buffer.isBuffer(body)) return body.toString('latin1');
    let text = '';
    await new Promise<void>((resolve) => void body.on('data', (part: Buffer) => (text += part.toString('latin1'))).on('end', resolve));
    return text;
  };

  it.each([
    ['in one piece', [`${chunked}2\r\n{}\r\n3;a=b\r\nabc\r\n0\r\nx-trailer: 1\r\n\r\n`], /\r\n{}abc$/],
    ['byte by byte', [chunked, ...'2\r\n{}\r\nA\r\n0123456789\r\n0\r\n\r\n'.split('')], /\r\n{}0123456789$/],
    ['followed by another request', [chunked, `1\r\nx\r\n0\r\n\r\n${plain}`], /\r\nx.*node$/s],
  ])('decodes a body that arrives %s', async (_how, pieces, seen) => {
    const client = await open((request) => void read(request).then((text) => answer(request, text)));
    client.socket.setNoDelay(true);
    for (const piece of pieces) {
      client.socket.write(piece, 'latin1');
      await turns();
    }
    await client.sees(seen);
  });

  it('decodes a body larger than the buffer completely', async () => {
    const client = await open((request) => void read(request).then((text) => answer(request, String(text.length))));
    client.socket.write(chunked);
    for (let n = 0; n < 20; n += 1) client.socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    client.socket.write('0\r\n\r\n');
    await client.sees(/1310720$/);
  });

  it('discards a body that nobody reads and keeps the connection open', async () => {
    const client = await open((request) => answer(request));
    client.socket.write(chunked);
    await client.sees(/ok$/);
    client.text = '';
    client.socket.write(`4\r\nabcd\r\n0\r\n\r\n${plain}`);
    await client.sees(/node$/);
  });

  it.each([
    ['before it is read', [`${chunked}2\r\n{}X\r\n0\r\n\r\n`]],
    ['while it is read', [chunked, '2\r\n{}\r\n', 'X\r\n0\r\n\r\n']],
  ])('whose sizes are none %s is an error, and its answer the last one', async (_when, pieces) => {
    const client = await open((request) => {
      const { body } = request;
      if (!Buffer.isBuffer(body))
        body.on('error', (error: unknown) => answer(request, error instanceof GatewayError ? error.code : 'none'));
      void read(request).then(() => answer(request, 'whole'));
    });
    for (const piece of pieces) {
      client.socket.write(piece);
      await turns();
    }
    client.socket.write(plain);
    await client.closed();
    expect(client.text).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*Connection: close\r\n\r\ninvalid_header$/);
  });

  it('whose sizes are none ends the connection behind the head of its answer', async () => {
    const client = await open(({ client: to }) => to.head(200, [], true));
    client.socket.write(chunked);
    await client.sees('200 OK');
    client.socket.write('2\r\n{}X\r\n');
    await client.closed();
    expect(client.text).not.toContain('0\r\n\r\n');
  });
});

describe('PlainConnections', () => {
  it('discards the rest of a body with content-length and keeps the connection open', async () => {
    const client = await open((request) => answer(request, String(request.length)));
    client.socket.write(`${line}content-length: 500000\r\n\r\n`);
    await client.sees(/500000$/);
    client.socket.write('x'.repeat(500_000));
    client.socket.write(plain);
    await client.sees(/\r\n\r\n2$|node$/);
  });

  it('hands the connection to node:http if requests are pipelined, and keeps responses in order', async () => {
    const waiting: PlainRequest[] = [];
    const client = await open((request) => waiting.push(request));
    client.socket.write(plain);
    await vi.waitFor(() => expect(waiting.length).toBe(1), { timeout: 60_000 });
    client.socket.write(plain + plain);
    await turns();
    expect(client.text).toBe('');
    answer(waiting[0] as PlainRequest);
    await client.sees(/ok.*node.*node$/s);
    expect(waiting.length).toBe(1);
  });

  it.each([
    [
      'with the end of the body',
      async (client: TestClient) => {
        client.socket.write(plain.slice(0, -2));
        await turns();
        client.socket.write('{}\r\n');
      },
    ],
    [
      'after the response',
      async (client: TestClient) => {
        client.socket.write(plain);
        await client.sees(/ok$/);
        client.socket.write('\r\n');
      },
    ],
    [
      'before the response',
      async (client: TestClient) => {
        client.socket.write(plain);
        await turns();
        client.socket.write('\r\n');
      },
    ],
  ])('ignores an empty line between requests: %s', async (_, send) => {
    const client = await open(async (request) => {
      await turns(90);
      answer(request);
    });
    await send(client);
    await client.sees(/ok$/);
    await turns();
    client.socket.write(plain);
    await client.sees(/ok.*(?:ok|node)$/s);
    expect(client.text).not.toContain('node');
  });

  it('closes silent, slow and idle connections, but not while a request waits for its response', async () => {
    const seconds = (count: number): void => {
      for (let second = 0; second < count; second += 1) front.check();
    };
    const waiting: PlainRequest[] = [];
    const idle = await open((request) => (waiting.length > 0 ? answer(request) : waiting.push(request)));
    idle.socket.write(plain);
    await vi.waitFor(() => expect(waiting.length).toBe(1), { timeout: 60_000 });
    const silent = new TestClient();
    const kept = new TestClient();
    kept.socket.write(plain);
    await kept.sees(/ok$/);
    seconds(12);
    await silent.closed();
    seconds(60);
    kept.socket.write(plain);
    await kept.sees(/ok.*ok$/s);
    seconds(78);
    await kept.closed();
    answer(waiting[0] as PlainRequest);
    await idle.sees(/ok$/);
  });

  it('closes the connection after the response if the gateway shuts down', async () => {
    const client = await open((request) => {
      front.startDraining();
      answer(request);
    });
    client.socket.write(plain);
    await client.closed();
    expect(client.text).toContain('\r\nConnection: close\r\n');
  });
});
