import { once } from 'node:events';
import { createParser } from 'eventsource-parser';
import { expect } from 'vitest';
import type { LogRecord } from '../../src/core/records/record.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions, until } from '../support/gateway.ts';
import { trustTestCertificates } from '../support/certificates.ts';
import { chunks, completion, json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';
import { startWire, type Wire, type WireOptions } from './wire.ts';

type Plain = Readonly<Record<string, unknown>>;

/** A gateway with a provider that misbehaves as scripted (`a`), one that works (`b`), and a fallback of both (`pair`). */
export interface Rig {
  readonly gateway: TestGateway;
  readonly wire: Wire;
  readonly healthy: ScriptedUpstream;
  send(body?: Plain, headers?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response>;
  /** Sends a request, reads the response to its end and returns it with the record. */
  sendAndRead(body?: Plain, headers?: Readonly<Record<string, string>>): Promise<ReadResponse>;
  /** Waits until no request is in progress, and proves it: with a limit of one request (the default), one is served. */
  expectQuiet(): Promise<void>;
  /** Closes the keep-alive connections to `a` and waits until the gateway has noticed. */
  forgetConnections(): Promise<void>;
  close(): Promise<void>;
}

/** A response as a client saw it. */
export interface ReadResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The part that arrived. */
  readonly text: string;
  /** The connection was closed before the end. */
  readonly isTruncated: boolean;
  readonly events: readonly string[];
  readonly record: LogRecord;
}

export interface RigOptions {
  /** Of provider `a`. */
  readonly timeouts?: Plain;
  /** The limit is one request by default: a leaked request makes the next one fail. */
  readonly server?: Plain;
  /** Additional providers; a function gets the URL of `a`. */
  readonly providers?: Plain | ((url: string) => Plain);
  readonly configs?: Plain;
  readonly extraConfig?: Plain;
  readonly gateway?: TestGatewayOptions;
  /** Of the upstream of `a`. */
  readonly wire?: WireOptions;
}

export const onA = { 'x-gateway-provider': '@a' } as const;
export const onPair = { 'x-gateway-config': 'pair' } as const;
export const chat = { model: 'm-1', messages: [{ role: 'user', content: 'hi' }] } as const;
export const streamed = { ...chat, stream: true } as const;

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const distrust = trustTestCertificates();
  const wire = await startWire(options.wire);
  const healthy = await startUpstream((response, { body }) => {
    if (body.includes('"stream":true')) sse(response, chunks('from b'));
    else json(response, 200, completion('from b'));
  });
  const gateway = await startTestGateway(JSON.stringify(configOf(wire, healthy, options)), options.gateway);
  const send: Rig['send'] = (body = chat, headers = onA, signal) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  const expectQuiet = async (): Promise<void> => {
    await until(() => wire.busy() === 0, 'the upstream connections to be free');
    await untilServed(() => send(chat, { 'x-gateway-provider': '@b' }));
    expect(gateway.lines.filter((line) => line.includes('"level":50')).join('')).toBe('');
  };
  return {
    gateway,
    wire,
    healthy,
    send,
    sendAndRead: async (body, headers) => readAll(gateway, await send(body, headers)),
    expectQuiet,
    async forgetConnections() {
      // The gateway closes its side after it has read the end of ours.
      await Promise.all(
        [...wire.sockets].map(async (socket) => {
          if (socket.destroyed) return;
          const closed = once(socket, 'close');
          socket.resume().end();
          await closed;
        }),
      );
    },
    async close() {
      await gateway.close();
      await wire.close();
      await healthy.close();
      distrust();
    },
  };
}

/** An attempt ends a moment after its response. */
async function untilServed(send: () => Promise<Response>): Promise<void> {
  await until(async () => {
    const response = await send();
    await response.arrayBuffer();
    return response.status === 200;
  }, 'room for a request');
}

function configOf(wire: Wire, healthy: ScriptedUpstream, options: RigOptions): Plain {
  return {
    version: 1,
    server: { state_dir: 'memory', max_in_flight: 1, ...options.server },
    providers: {
      a: { type: 'openai', api_key: 'sk-key-of-provider-a-0123', custom_host: `${wire.url}/v1`, timeouts: options.timeouts ?? {} },
      b: { type: 'openai', api_key: 'sk-key-of-provider-b-0123', custom_host: `${healthy.url}/v1` },
      ...(typeof options.providers === 'function' ? (options.providers as (url: string) => Plain)(wire.url) : options.providers),
    },
    configs: { pair: { strategy: { mode: 'fallback' }, targets: [{ provider: 'a' }, { provider: 'b' }] }, ...options.configs },
    ...options.extraConfig,
  };
}

/** Reads a response to its end, or to where it was truncated. */
export async function readAll(gateway: TestGateway, response: Response): Promise<ReadResponse> {
  const pieces: Uint8Array[] = [];
  let isTruncated = false;
  try {
    for await (const part of response.body ?? []) pieces.push(part as Uint8Array);
  } catch {
    isTruncated = true;
  }
  const text = Buffer.concat(pieces).toString('utf8');
  const record = await gateway.record(response.headers.get('x-request-id'));
  return { status: response.status, headers: response.headers, text, isTruncated, events: eventsOf(text), record };
}

export function eventsOf(text: string): string[] {
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });
  parser.feed(text);
  return events;
}

interface ErrorObject {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
  readonly gateway: {
    readonly request_id: string;
    readonly source: string;
    readonly hint?: string;
    readonly attempts?: readonly { readonly status: number | null }[];
  };
}

/** The error object in a body or an event. */
export function errorOf(text: string): ErrorObject {
  return (JSON.parse(text) as { error: ErrorObject }).error;
}

/** The texts of a chat stream. */
export function contentOf(events: readonly string[]): string {
  return events
    .filter((data) => data !== '[DONE]')
    .map((data) => (JSON.parse(data) as { choices?: readonly { delta: { content?: string } }[] }).choices?.[0]?.delta.content ?? '')
    .join('');
}

/** The outcome of each attempt in short form. */
export const outcomes = (record: LogRecord): readonly string[] =>
  record.attempts.map(({ provider, outcome, status }) => `${provider} ${outcome}${status === null ? '' : ` ${status}`}`);
