import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { GatewayError } from '../../../core/error.ts';
import { headerNames } from '../header-bag.ts';
import { PlainConnections } from './plain-connections.ts';
import type { PlainRequest } from './plain-request.ts';
import { turns } from '../../../../test/support/time.ts';
import { TimerWheel } from '../../wire/timer-wheel.ts';

/** PlainConnections whose requests the test answers; `node:http` answers requests handed over to it with "node". */

const names = headerNames(['x-gateway-']);
const line = 'POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n';
const plainRequest = `${line}content-length: 2\r\n\r\n{}`;
const defects: unknown[] = [];
let server: Server;
let connections: PlainConnections;
let clients: TestClient[] = [];

class TestClient {
  readonly socket: Socket;
  text = '';

  constructor() {
    this.socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1'))).on('error', () => {});
    clients.push(this);
  }

  async waitFor(part: string | RegExp): Promise<void> {
    await until(() => this.text.search(part) >= 0, `${String(part)} in ${JSON.stringify(this.text.slice(0, 1000))}`);
  }

  async closed(): Promise<void> {
    await until(() => this.socket.closed, 'the end of the connection');
  }
}

async function until(condition: () => boolean, description: string): Promise<void> {
  const check = (): void => {
    if (!condition()) throw new Error(`waited in vain for ${description}`);
  };
  await vi.waitFor(check, { timeout: 60_000, interval: 5 });
}

async function open(serve: (request: PlainRequest) => void): Promise<TestClient> {
  server = createServer((_request, response) => response.end('node'));
  const noop = (): void => {};
  connections = new PlainConnections(server, {
    wheel: new TimerWheel(),
    now: () => 0,
    names: () => names,
    serve,
    extraHeaders: () => undefined,
    onDefect: (error) => defects.push(error),
    errorResponses: { late: noop, unreadable: noop, defect: (socket) => socket.destroy() },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new TestClient();
}

afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  clients = [];
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  for (const defect of defects.splice(0)) throw defect;
});

const respond = ({ client }: PlainRequest, text = 'ok'): void => {
  client.head(200, ['content-length', text.length.toString()]);
  client.end(Buffer.from(text));
};

describe('PlainConnections with a response', () => {
  const large = Buffer.alloc(300_000, 'x');

  it('writes the same headers as node:http', async () => {
    const client = await open(respond);
    client.socket.write(plainRequest);
    await client.waitFor(/ok$/);
    expect(client.text).toBe(
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=75\r\n\r\nok',
    );
  });

  it('sends a response of any size completely, with content-length and chunked', async () => {
    let served = 0;
    const client = await open(({ client: plainClient }) => {
      served += 1;
      if (served === 1) plainClient.head(200, ['content-length', String(large.length * 2)]);
      else plainClient.head(200, [], true);
      plainClient.write(large);
      plainClient.end(large);
    });
    client.socket.write(plainRequest);
    await vi.waitFor(() => expect(client.text.length).toBeGreaterThan(600_000), { timeout: 60_000 });
    expect(client.text.endsWith(`\r\n\r\n${'x'.repeat(600_000)}`)).toBe(true);
    client.text = '';
    client.socket.write(plainRequest);
    await client.waitFor(/\r\n0\r\n\r\n$/);
    const frame = `493e0\r\n${'x'.repeat(300_000)}\r\n`;
    expect(client.text.endsWith(`Transfer-Encoding: chunked\r\n\r\n${frame}${frame}0\r\n\r\n`)).toBe(true);
  });

  it.each([
    ['fewer', '3'],
    ['more', '1'],
  ])('closes the connection if the response has %s bytes than its content-length', async (_name, length) => {
    const client = await open(({ client: plainClient }) => {
      plainClient.head(200, ['content-length', length]);
      plainClient.end(Buffer.from('ok'));
    });
    client.socket.write(plainRequest);
    await client.closed();
    expect(client.text).toMatch(/ok$/);
  });

  it.each([
    ['value', ['x-bad', 'a\r\nb: c']],
    ['value', ['x-bad', 'a\0b']],
    ['value', ['x-bad', '\u{100}']],
    ['name', ['x bad', 'a']],
  ])('throws for a header with an invalid %s and writes nothing of it', async (_name, headers) => {
    let caught: unknown;
    const client = await open((request) => {
      try {
        request.client.head(200, headers);
      } catch (error) {
        caught = error;
      }
      respond(request);
    });
    client.socket.write(plainRequest);
    await client.waitFor(/ok$/);
    expect(caught).toBeInstanceOf(TypeError);
    expect(client.text).not.toContain('bad');
  });

  it('resets the connection if the response is aborted where its end would look complete', async () => {
    const client = await open(({ client: plainClient }) => {
      plainClient.head(200, ['content-length', '9'], true);
      setTimeout(() => plainClient.destroy(), 20);
    });
    let code: string | undefined;
    client.socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code)).write(plainRequest);
    await client.closed();
    expect(code).toBe('ECONNRESET');
  });

  it('waits for a slow client and calls onFlushed when the last byte is sent', async () => {
    const events: string[] = [];
    const client = await open(({ client: plainClient }) => {
      plainClient.onDrain = () => events.push('drain');
      plainClient.onDisconnect = () => events.push('gone');
      plainClient.head(200, []);
      for (let n = 0; n < 60; n += 1) plainClient.write(large);
      plainClient.end();
      plainClient.onFlushed = () => events.push('left');
      events.push(plainClient.isDisconnected ? 'gone' : 'waiting');
    });
    client.socket.pause();
    client.socket.write(plainRequest);
    await vi.waitFor(() => expect(events).toEqual(['waiting']), { timeout: 60_000 });
    client.socket.resume();
    await vi.waitFor(() => expect(events).toContain('left'), { timeout: 60_000 });
    expect(events).not.toContain('gone');
  });
});

describe('PlainConnections after a client disconnect', () => {
  it.each(['end', 'destroy'] as const)('calls onDisconnect and onFlushed once: %s', async (endMethod) => {
    const events: string[] = [];
    const client = await open(({ client: plainClient }) => {
      plainClient.onDisconnect = () => events.push('gone');
      plainClient.onFlushed = () => events.push('left');
      plainClient.head(200, [], true);
    });
    client.socket.write(plainRequest);
    await client.waitFor('200 OK');
    client.socket[endMethod]();
    await vi.waitFor(() => expect(events).toEqual(['gone', 'left']), { timeout: 60_000 });
    await client.closed();
    expect(events).toEqual(['gone', 'left']);
  });
});

describe('PlainConnections with a chunked body', () => {
  const chunkedHead = `${line}transfer-encoding: chunked\r\n\r\n`;
  const readBody = async ({ body }: PlainRequest): Promise<string> => {
    if (Buffer.isBuffer(body)) return body.toString('latin1');
    let text = '';
    await new Promise<void>((resolve) => void body.on('data', (part: Buffer) => (text += part.toString('latin1'))).on('end', resolve));
    return text;
  };

  it.each([
    ['in one piece', [`${chunkedHead}2\r\n{}\r\n3;a=b\r\nabc\r\n0\r\nx-trailer: 1\r\n\r\n`], /\r\n{}abc$/],
    ['byte by byte', [chunkedHead, ...'2\r\n{}\r\nA\r\n0123456789\r\n0\r\n\r\n'.split('')], /\r\n{}0123456789$/],
    ['followed by another request', [chunkedHead, `1\r\nx\r\n0\r\n\r\n${plainRequest}`], /\r\nx.*node$/s],
  ])('decodes a body that arrives %s', async (_name, pieces, decodedText) => {
    const client = await open((request) => void readBody(request).then((text) => respond(request, text)));
    client.socket.setNoDelay(true);
    for (const piece of pieces) {
      client.socket.write(piece, 'latin1');
      await turns();
    }
    await client.waitFor(decodedText);
  });

  it('decodes a body larger than the buffer completely', async () => {
    const client = await open((request) => void readBody(request).then((text) => respond(request, String(text.length))));
    client.socket.write(chunkedHead);
    for (let n = 0; n < 20; n += 1) client.socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    client.socket.write('0\r\n\r\n');
    await client.waitFor(/1310720$/);
  });

  it('discards a body that nobody reads and keeps the connection open', async () => {
    const client = await open((request) => respond(request));
    client.socket.write(chunkedHead);
    await client.waitFor(/ok$/);
    client.text = '';
    client.socket.write(`4\r\nabcd\r\n0\r\n\r\n${plainRequest}`);
    await client.waitFor(/node$/);
  });

  it.each([
    ['before it is read', [`${chunkedHead}2\r\n{}X\r\n0\r\n\r\n`]],
    ['while it is read', [chunkedHead, '2\r\n{}\r\n', 'X\r\n0\r\n\r\n']],
  ])('with invalid chunk sizes %s is an error, and its response is the last one', async (_name, pieces) => {
    const client = await open((request) => {
      const { body } = request;
      if (!Buffer.isBuffer(body))
        body.on('error', (error: unknown) => respond(request, error instanceof GatewayError ? error.code : 'none'));
      void readBody(request).then(() => respond(request, 'whole'));
    });
    for (const piece of pieces) {
      client.socket.write(piece);
      await turns();
    }
    client.socket.write(plainRequest);
    await client.closed();
    expect(client.text).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*Connection: close\r\n\r\ninvalid_header$/);
  });

  it('with invalid chunk sizes does not end a response whose head was sent', async () => {
    let plainClient: PlainRequest['client'] | undefined;
    const client = await open((request) => {
      plainClient = request.client;
      plainClient.head(200, [], true);
    });
    client.socket.write(chunkedHead);
    await client.waitFor('200 OK');
    client.socket.write('2\r\n{}X\r\n');
    await turns();
    plainClient?.end(Buffer.from('rest'));
    await client.closed();
    expect(client.text).toMatch(/\r\n4\r\nrest\r\n0\r\n\r\n$/);
  });
});

describe('PlainConnections', () => {
  it('discards the rest of a body with content-length and keeps the connection open', async () => {
    const client = await open((request) => respond(request, String(request.length)));
    client.socket.write(`${line}content-length: 500000\r\n\r\n`);
    await client.waitFor(/500000$/);
    client.socket.write('x'.repeat(500_000));
    client.socket.write(plainRequest);
    await client.waitFor(/\r\n\r\n2$|node$/);
  });

  it('discards the rest of a body for up to 60 s while the client sends fast enough', async () => {
    const client = await open((request) => respond(request, String(request.length)));
    client.socket.write(`${line}content-length: 50000000\r\n\r\n`);
    await client.waitFor(/50000000$/);
    const windows = async (count: number, bytes: number): Promise<void> => {
      for (let window = 0; window < count; window += 1) {
        await new Promise((resolve) => client.socket.write('x'.repeat(bytes), resolve));
        await turns(90);
        for (let second = 0; second < 6; second += 1) connections.check();
      }
    };
    await windows(9, 100_000);
    await turns();
    expect(client.socket.closed).toBe(false);
    await windows(2, 100_000);
    await client.closed();
  });

  it('discards the rest of a body for 5 s if the client sends slowly', async () => {
    const client = await open((request) => respond(request, String(request.length)));
    client.socket.write(`${line}content-length: 50000000\r\n\r\n`);
    await client.waitFor(/50000000$/);
    client.socket.write('x'.repeat(1000));
    await turns(90);
    for (let second = 0; second < 6; second += 1) connections.check();
    await client.closed();
  });

  it('hands the connection to node:http if requests are pipelined, and keeps responses in order', async () => {
    const heldRequests: PlainRequest[] = [];
    const client = await open((request) => heldRequests.push(request));
    client.socket.write(plainRequest);
    await vi.waitFor(() => expect(heldRequests.length).toBe(1), { timeout: 60_000 });
    client.socket.write(plainRequest + plainRequest);
    await turns();
    expect(client.text).toBe('');
    respond(heldRequests[0] as PlainRequest);
    await client.waitFor(/ok.*node.*node$/s);
    expect(heldRequests.length).toBe(1);
  });

  it.each([
    [
      'with the end of the body',
      async (client: TestClient) => {
        client.socket.write(plainRequest.slice(0, -2));
        await turns();
        client.socket.write('{}\r\n');
      },
    ],
    [
      'after the response',
      async (client: TestClient) => {
        client.socket.write(plainRequest);
        await client.waitFor(/ok$/);
        client.socket.write('\r\n');
      },
    ],
    [
      'before the response',
      async (client: TestClient) => {
        client.socket.write(plainRequest);
        await turns();
        client.socket.write('\r\n');
      },
    ],
  ])('ignores an empty line between requests: %s', async (_, send) => {
    const client = await open(async (request) => {
      await turns(90);
      respond(request);
    });
    await send(client);
    await client.waitFor(/ok$/);
    await turns();
    client.socket.write(plainRequest);
    await client.waitFor(/ok.*(?:ok|node)$/s);
    expect(client.text).not.toContain('node');
  });

  it('closes silent, slow and idle connections, but not while a request waits for its response', async () => {
    const seconds = (count: number): void => {
      for (let second = 0; second < count; second += 1) connections.check();
    };
    const heldRequests: PlainRequest[] = [];
    const idle = await open((request) => (heldRequests.length > 0 ? respond(request) : heldRequests.push(request)));
    idle.socket.write(plainRequest);
    await vi.waitFor(() => expect(heldRequests.length).toBe(1), { timeout: 60_000 });
    const silentClient = new TestClient();
    const activeClient = new TestClient();
    activeClient.socket.write(plainRequest);
    await activeClient.waitFor(/ok$/);
    seconds(12);
    await silentClient.closed();
    seconds(60);
    activeClient.socket.write(plainRequest);
    await activeClient.waitFor(/ok.*ok$/s);
    seconds(78);
    await activeClient.closed();
    respond(heldRequests[0] as PlainRequest);
    await idle.waitFor(/ok$/);
  });

  it('closes the connection after the response if the gateway shuts down', async () => {
    const client = await open((request) => {
      connections.isDraining = true;
      respond(request);
    });
    client.socket.write(plainRequest);
    await client.closed();
    expect(client.text).toContain('\r\nConnection: close\r\n');
  });
});
