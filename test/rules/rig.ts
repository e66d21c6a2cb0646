import { createHash } from 'node:crypto';
import { Agent, createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';

/** Requests as they are written, to a gateway before an upstream that keeps all that reaches it. */

export interface Request {
  readonly method: string;
  /** As written on the request line. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  /** The body is sent in chunks, its length not declared. */
  readonly chunked?: true;
}

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Recorder {
  readonly url: string;
  readonly received: Received[];
  /** Every text that can be read in what was received: raw, and with each usual decoding. */
  readings(): string;
  close(): Promise<void>;
}

/** What a chat is answered with: requests of other formats are converted to chats, and this back. */
const chat = { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'x' } }] };

/** An upstream that answers everything with an empty object or chat, WebSockets with a refusal. */
export async function startRecorder(
  respond: (received: Received) => object = () => ({ id: 'x', object: 'x', data: [], input_tokens: 1, ...chat }),
): Promise<Recorder> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('error', () => {});
    const keep = (): Received => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(pieces) };
      received.push(one);
      return one;
    };
    request.on('end', () => {
      const text = JSON.stringify(respond(keep()));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    });
  });
  server.on('upgrade', (request, socket) => {
    received.push({ method: 'UPGRADE', url: request.url ?? '', headers: request.headers, body: Buffer.alloc(0) });
    socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    readings: () => received.map(readingsOf).join('\n'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function readingsOf({ method, url, headers, body }: Received): string {
  const raw = [method, url, JSON.stringify(headers), body.toString('utf8'), body.toString('latin1')].join('\n');
  return [raw, percentDecoded(raw), unescaped(raw), raw.replaceAll('\0', ''), raw.normalize('NFKC')].join('\n');
}

function percentDecoded(text: string): string {
  let now = text;
  for (let round = 0; round < 8; round += 1)
    now = now.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return now;
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

export interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Sends it as it is written: path and headers go out unchanged. */
export function send(base: string, { method, path, headers = {}, body, chunked }: Request): Promise<ReceivedResponse> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const length = body === undefined || chunked === true ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const framing = chunked === true ? { 'transfer-encoding': 'chunked' } : length;
    const out = httpRequest({ hostname, port, method, path, agent, headers: { ...framing, ...headers } }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') }));
      response.on('error', reject);
    });
    out.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, text: '' });
    });
    out.on('error', reject);
    out.end(body);
  });
}

export const keyOf = (name: string): string => `a-key-for-${name}-0123`;
const hashOf = (name: string): string => `"sha256:${createHash('sha256').update(keyOf(name)).digest('hex')}"`;

/** Lines of `api_keys:`, by name. */
export const keyLines = (keys: Readonly<Record<string, string>>): string =>
  Object.entries(keys)
    .map(([name, rules]) => `  ${name}: {hash: ${hashOf(name)}${rules === '' ? '' : `, ${rules}`}}\n`)
    .join('');

export const startWith = (yaml: string, options?: TestGatewayOptions): Promise<TestGateway> => startTestGateway(yaml, options);
