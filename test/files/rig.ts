import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';

export const boundary = 'x-boundary-9f2c';
export const contentType = `multipart/form-data; boundary=${boundary}`;

/** A part of a form as text: a field, or a file if it has a filename. */
export interface PartText {
  readonly name: string;
  readonly value: string | Buffer;
  readonly filename?: string;
  readonly type?: string;
}

export function formOf(parts: readonly PartText[], mark = boundary): Buffer {
  const pieces: Buffer[] = [];
  for (const { name, value, filename, type } of parts) {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const kind = type === undefined ? '' : `Content-Type: ${type}\r\n`;
    pieces.push(
      Buffer.from(`--${mark}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${kind}\r\n`),
      Buffer.from(value),
      Buffer.from('\r\n'),
    );
  }
  return Buffer.concat([...pieces, Buffer.from(`--${mark}--\r\n`)]);
}

/** A request as the upstream received it; its body is counted and hashed, and stored only if it is small. */
export interface ReceivedForm {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly size: number;
  readonly sha256: string;
  readonly body: Buffer;
  /** False if the request was aborted. */
  readonly isWhole: boolean;
}

export type Reply = (response: ServerResponse, taken: ReceivedForm) => void;

export interface Origin {
  readonly url: string;
  readonly received: ReceivedForm[];
  /** Number of requests whose head arrived. */
  count: number;
  reply: Reply;
  /** Handles a request before its body is read; true if it takes over the response. */
  early: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Closes the keep-alive connections and waits until the gateway has noticed. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

const keepLimit = 1024 * 1024;

/** A service that accepts bodies of any size without storing them. */
export async function startOrigin(reply: Reply = respondWithFile): Promise<Origin> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((request, response) => {
    origin.count += 1;
    if (origin.early?.(request, response) === true) return;
    void take(request).then((received) => {
      origin.received.push(received);
      if (received.isWhole) origin.reply(response, received);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin: Origin = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    count: 0,
    reply,
    early: undefined,
    async forget() {
      // The gateway closes its side after it has read the end of ours.
      await Promise.all(
        [...sockets].map(async (socket) => {
          if (socket.destroyed) return;
          const closed = once(socket, 'close');
          socket.resume().end();
          await closed;
        }),
      );
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return origin;
}

async function take(request: IncomingMessage): Promise<ReceivedForm> {
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  let size = 0;
  let isWhole = true;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
      if (size <= keepLimit) chunks.push(chunk);
    }
  } catch {
    isWhole = false;
  }
  const { method = '', url = '', headers } = request;
  return { method, url, headers, size, sha256: hash.digest('hex'), body: Buffer.concat(chunks), isWhole };
}

/** The response of a file service to an upload. */
export function respondWithFile(response: ServerResponse, { size }: Pick<ReceivedForm, 'size'>): void {
  respondWithJson(response, 200, { id: 'file-1', object: 'file', bytes: size, created_at: 1, filename: 'a.jsonl', purpose: 'batch' });
}

export function respondWithJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A gateway in front of one or more origins, each as a provider of type openai: `a`, `b`, … */
export function startFront(
  origins: readonly Origin[],
  more: { readonly server?: object; readonly timeouts?: object; readonly configs?: object; readonly rest?: object } = {},
  options: TestGatewayOptions = {},
): Promise<TestGateway> {
  const providers = Object.fromEntries(
    origins.map(({ url }, at) => [
      String.fromCharCode(97 + at),
      { type: 'openai', api_key: `sk-key-of-provider-${at}-0123456789`, custom_host: `${url}/v1`, timeouts: more.timeouts ?? {} },
    ]),
  );
  const config = {
    version: 1,
    server: { state_dir: 'memory', ...more.server },
    providers,
    configs: {
      ...(origins.length > 1 ? { pair: { strategy: { mode: 'fallback' }, targets: [{ provider: 'a' }, { provider: 'b' }] } } : {}),
      again: { retry: { attempts: 2 }, targets: [{ provider: 'a' }] },
      ...more.configs,
    },
    ...more.rest,
  };
  return startTestGateway(JSON.stringify(config), options);
}

/** A response as a client saw it. */
export interface ReadResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

export interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Chunks of the body; chunked unless the headers have a content-length. */
  readonly body?: Iterable<Buffer> | AsyncIterable<Buffer>;
}

export const onA = { 'x-gateway-provider': '@a' } as const;

/** Sends a form as chunks and reads the complete response. */
export async function send(
  gateway: Pick<TestGateway, 'url'>,
  { path = '/v1/files', method = 'POST', headers = {}, body = [] }: Sent,
): Promise<ReadResponse> {
  const request = httpRequest(`${gateway.url}${path}`, {
    method,
    agent: false,
    headers: { 'content-type': contentType, ...onA, ...headers },
  });
  const responded = once(request, 'response') as Promise<[IncomingMessage]>;
  responded.catch(() => {});
  const source = Readable.from(body);
  source.on('error', () => request.destroy());
  request.on('error', () => source.destroy());
  source.pipe(request);
  const [response] = await responded;
  source.unpipe(request);
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  request.destroy();
  return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() };
}

/** Sends bytes with a content-length. */
export const sendWhole = (gateway: Pick<TestGateway, 'url'>, body: Buffer, sent: Sent = {}): Promise<ReadResponse> =>
  send(gateway, { ...sent, headers: { 'content-length': body.length.toString(), ...sent.headers }, body: [body] });
