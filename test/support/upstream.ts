import { randomInt } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request as received by an upstream. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Resolves if the other side closed the exchange before the response was complete. */
  readonly aborted: Promise<void>;
}

export type Script = (response: ServerResponse, request: SeenRequest, count: number) => void | Promise<void>;

/** A real HTTP server on loopback that executes a script and stores the requests. */
export interface ScriptedUpstream {
  readonly url: string;
  readonly host: string;
  readonly requests: SeenRequest[];
  script: Script;
  close(): Promise<void>;
}

export async function startUpstream(script: Script): Promise<ScriptedUpstream> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const aborted = new Promise<void>((resolve) => response.once('close', () => (response.writableFinished ? undefined : resolve())));
      const received: SeenRequest = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body: Buffer.concat(chunks),
        aborted,
      };
      requests.push(received);
      void upstream.script(response, received, requests.length);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const upstream: ScriptedUpstream = {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    script,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return upstream;
}

/** Sends a JSON response. */
export function json(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void {
  const body = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

/** Sends an event stream, one write per event. */
export function sse(response: ServerResponse, events: readonly string[], headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...headers });
  for (const event of events) response.write(event);
  response.end();
}

/** A chat completion with one text. */
export function completion(content: string, model = 'm-1'): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_767_312_000,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  };
}

/** A chat stream: role, one chunk per text, finish reason, end mark. */
export function chunks(...texts: readonly string[]): string[] {
  const chunk = (delta: object, finish: string | null): string =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_767_312_000, model: 'm-1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  return [
    chunk({ role: 'assistant', content: '' }, null),
    ...texts.map((content) => chunk({ content }, null)),
    chunk({}, 'stop'),
    'data: [DONE]\n\n',
  ];
}

/** Returns a local port without a listener. Operating systems don't assign ephemeral ports from this range, so it stays unused. */
export async function deadPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 30_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
