import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { Client } from 'undici';
import { ResponseHeadParser } from '../../../src/transport/outbound/http1/response-head.ts';
import { ResponseParser } from '../../../src/transport/outbound/http1/response-parser.ts';
import type { WireCase } from './grammar.ts';

/** How a reader interpreted a response that arrived in pieces, followed by the end of the connection. */
export interface Reading {
  /** True for a response that is complete by its own framing. Everything else is a fault. */
  readonly isWhole: boolean;
  readonly status: number;
  /** Joined values by lower-case name, sorted. */
  readonly headers: readonly (readonly [string, string])[];
  /** One character per byte. */
  readonly body: string;
  /** True if the connection could be reused. */
  readonly isKeptAlive: boolean;
  /** Number of bytes after the end of the response. */
  readonly behind: number;
  readonly why: string;
}

const sorted = (headers: Readonly<Record<string, string>>): [string, string][] =>
  Object.keys(headers)
    .sort()
    .map((name) => [name, headers[name] ?? '']);

/** The gateway's reader. One parser for all cases, as for an origin: its caches must not affect the next response. */
export class GatewayReader {
  readonly #reader = new ResponseParser(new ResponseHeadParser());

  read({ method }: WireCase, pieces: readonly Buffer[]): Reading {
    const reader = this.#reader;
    const result = { status: 0, headers: {} as Readonly<Record<string, string>>, body: '' };
    const sink = {
      head: (status: number, headers: Readonly<Record<string, string>>) => {
        result.status = status;
        result.headers = headers;
      },
      data: (bytes: Buffer) => {
        result.body += bytes.toString('latin1');
      },
    };
    reader.begin(method);
    let isWhole = false;
    let isKeptAlive = false;
    let behind = 0;
    let why = '';
    try {
      let rest: number | undefined;
      // A copy, because the reader modifies its input.
      for (const piece of pieces) {
        if (rest === undefined) rest = reader.push(Buffer.from(piece), sink);
        else behind += piece.length;
      }
      isWhole = rest !== undefined || reader.endsAtClose();
      behind += rest ?? 0;
      // As `Connection` decides: unexpected bytes close it, and a keep-alive of a second is too short to use.
      isKeptAlive = rest !== undefined && behind === 0 && reader.isReusable && (reader.keepAliveSeconds ?? 15) > 2;
      if (!isWhole) why = 'cut';
    } catch (error) {
      why = (error as Error).message;
    }
    return {
      isWhole,
      status: result.status,
      headers: sorted(result.headers),
      body: result.body,
      isKeptAlive: isWhole && isKeptAlive,
      behind,
      why,
    };
  }
}

/** A simulated connection: it delivers the pieces, and discards all writes. */
function simulatedSocket(pieces: readonly Buffer[], isEnded: boolean): Duplex {
  const socket = new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      done();
    },
  });
  const methods = {
    setNoDelay: () => socket,
    setKeepAlive: () => socket,
    setTimeout: () => socket,
    ref: () => socket,
    unref: () => socket,
  };
  Object.assign(socket, methods);
  socket.on('error', () => undefined);
  queueMicrotask(() => {
    for (const piece of pieces) if (!socket.destroyed) socket.push(piece);
    if (isEnded && !socket.destroyed) socket.push(null);
  });
  return socket;
}

/** Waits for this number of event loop turns. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** undici, which the gateway uses for requests that its own client does not handle. */
export async function undiciReads({ method }: WireCase, pieces: readonly Buffer[], isEnded: boolean): Promise<Reading> {
  const socket = simulatedSocket([], false);
  const client = new Client('http://upstream', {
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options: unknown, done: (error: null, socket: Duplex) => void) => queueMicrotask(() => done(null, socket)),
  } as never);
  const parsed = { status: 0, headers: {} as Record<string, string>, body: '' };
  const result = await new Promise<{ isWhole: boolean; why: string }>((resolve) => {
    client.dispatch(
      { path: '/', method, headers: [], body: method === 'POST' ? Buffer.from('{}') : null } as never,
      {
        onRequestStart: () => undefined,
        onRequestSent: () => {
          queueMicrotask(() => {
            for (const piece of pieces) if (!socket.destroyed) socket.push(piece);
            // Without the end, the response must be complete by its framing. If it is not, the end follows a little later anyway.
            if (isEnded) socket.push(null);
            else void turns(5).then(() => socket.destroyed || socket.push(null));
          });
        },
        onResponseStart: (_: unknown, status: number, headers: Record<string, string | string[]>) => {
          if (status < 200) return;
          parsed.status = status;
          parsed.headers = {};
          for (const name of Object.keys(headers)) {
            const values = [headers[name] as string | string[]].flat();
            // undici keeps trailing whitespace of a value, which is not part of it (RFC 9112 5).
            const value = values.map((each) => each.replace(/[ \t]+$/, '')).join(', ');
            Object.defineProperty(parsed.headers, name, { value, enumerable: true, configurable: true });
          }
        },
        onResponseData: (_: unknown, chunk: Buffer) => {
          parsed.body += chunk.toString('latin1');
        },
        onResponseEnd: () => resolve({ isWhole: true, why: '' }),
        onResponseError: (_: unknown, error: Error) => resolve({ isWhole: false, why: error.message }),
      } as never,
    );
  });
  if (!isEnded) await turns(1);
  const isKeptAlive = result.isWhole && !socket.destroyed;
  client.destroy().catch(() => undefined);
  return { ...result, status: parsed.status, headers: sorted(parsed.headers), body: parsed.body, isKeptAlive, behind: 0 };
}

/** Node's own client. */
export async function nodeReads({ method }: WireCase, pieces: readonly Buffer[]): Promise<Reading> {
  const socket = simulatedSocket(pieces, true);
  const parsed = { status: 0, headers: {} as Record<string, string>, body: '' };
  const sent: ClientRequest = request({ method, host: 'upstream', path: '/', createConnection: () => socket as never });
  const result = await new Promise<{ isWhole: boolean; why: string }>((resolve) => {
    sent.on('error', (error) => resolve({ isWhole: false, why: error.message }));
    sent.on('upgrade', () => resolve({ isWhole: false, why: 'upgrade' }));
    sent.on('response', (response: IncomingMessage) => {
      parsed.status = response.statusCode ?? 0;
      parsed.headers = joined(response.rawHeaders);
      response.on('data', (chunk: Buffer) => {
        parsed.body += chunk.toString('latin1');
      });
      response.on('error', (error) => resolve({ isWhole: false, why: error.message }));
      response.on('end', () => resolve({ isWhole: response.complete, why: response.complete ? '' : 'cut' }));
      response.on('close', () => resolve({ isWhole: false, why: 'closed' }));
    });
    sent.end(method === 'POST' ? '{}' : undefined);
  });
  socket.destroy();
  return { ...result, status: parsed.status, headers: sorted(parsed.headers), body: parsed.body, isKeptAlive: false, behind: 0 };
}

function joined(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase();
    const value = Object.hasOwn(headers, name) ? `${headers[name]}, ${raw[at + 1]}` : (raw[at + 1] as string);
    Object.defineProperty(headers, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return headers;
}
