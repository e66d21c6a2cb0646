import type { Server } from 'node:http';
import { canonicalPrefix } from '../../../src/core/http/headers.ts';
import type { IncomingRequest } from '../../../src/core/http/request.ts';
import { GatewayError } from '../../../src/core/error.ts';
import { MemoryBudget } from '../../../src/core/memory/budget.ts';
import { requestLimits } from '../../../src/core/json/limits.ts';
import { headerNames } from '../../../src/transport/inbound/header-bag.ts';
import { Ids } from '../../../src/transport/inbound/ids.ts';
import { PlainClient } from '../../../src/transport/inbound/plain/client.ts';
import { createDataServer } from '../../../src/transport/inbound/server.ts';
import { createSweeper } from '../../../src/transport/wire/sweeper.ts';
import { FakeSocket } from './fake-socket.ts';
import { TimerWheel } from '../../../src/transport/wire/timer-wheel.ts';

/** A listener that responds to every request with what it has read. */
export class Side {
  /** Number of requests read by the gateway's own reader. */
  plain = 0;
  readonly #server: Server;

  constructor(fastPath: boolean) {
    const names = headerNames([canonicalPrefix]);
    const monotonic = (): number => 0;
    const fail = (error: unknown): void => {
      throw error;
    };
    const { server } = createDataServer({
      clock: { now: () => 0, monotonic },
      wheel: new TimerWheel(),
      ids: new Ids(),
      sweeper: createSweeper(new TimerWheel(), monotonic, fail),
      budget: new MemoryBudget(1e9),
      random: () => 0,
      passed: () => {},
      limits: () => ({ maxBody: 100_000, maxUpload: undefined, bodyTimeout: 1e9, json: requestLimits, names, fastPath }),
      cors: () => undefined,
      keyless: () => undefined,
      isDraining: () => false,
      handle: (incoming) => this.#handle(incoming),
      onDefect: fail,
      describeApi: () => Promise.resolve(Buffer.from('{}')),
      probes: () => false,
    });
    this.#server = server;
  }

  /** @param name identifies the connection */
  connect(name: string): FakeSocket {
    const socket = new FakeSocket(name);
    this.#server.emit('connection', socket);
    return socket;
  }

  #handle(incoming: IncomingRequest): void {
    const { arrival, client, body, refusal } = incoming;
    if (client instanceof PlainClient) this.plain += 1;
    const mode = arrival.headers.get('x-answer') ?? '';
    const respond = (read: string): void => {
      if (mode.includes('later')) setImmediate(() => reply(incoming, mode, read));
      else reply(incoming, mode, read);
    };
    if (refusal !== undefined) respond(refusal.code);
    else if (mode.includes('early')) respond('unread');
    else {
      body.read((result) => {
        if (result instanceof GatewayError) respond(result.code);
        else respond(result.kind === 'json' ? `json ${result.oneByte}` : result.kind);
      });
    }
  }
}

/** Responds with what was read, in the form that the request asks for. */
function reply({ arrival, client, body, refusal }: IncomingRequest, mode: string, read: string): void {
  const { method, path, query, endpoint, params, headers, peer, metadata } = arrival;
  const text = JSON.stringify({
    method,
    path,
    query,
    endpoint,
    params,
    headers: [...headers.entries()],
    peer,
    metadata,
    read,
    refused: refusal?.message,
  });
  const bytes = Buffer.from(text);
  if (mode.includes('empty')) client.head(204, ['x-read', bytes.length.toString()]);
  else if (mode.includes('stream')) {
    client.head(200, ['content-type', 'text/event-stream'], true);
    client.write(bytes.subarray(0, 20));
    client.write(bytes.subarray(20));
    client.end(Buffer.from('end'));
    body.drop();
    return;
  } else client.head(200, ['content-type', 'application/json', 'content-length', bytes.length.toString()]);
  client.end(bytes);
  body.drop();
}
