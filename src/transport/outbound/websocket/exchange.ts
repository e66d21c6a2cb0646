import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fromUnknown, GatewayError } from '../../../core/error.ts';
import type { HeaderPairs } from '../../../core/http/headers.ts';
import { isFinalStatus } from '../../../core/http/status.ts';
import type { SocketBody } from '../../../core/http/request.ts';
import type { Attempt, Flow, FlowConsumer, KeptBody, Outcome, Times, TimeoutPhase } from '../../../core/plan.ts';
import type { SocketRecord } from '../../../core/records/record.ts';
import type { Tap } from '../../../core/tap.ts';
import { type EchoListener, SecretRedactor, type SecretVariants } from '../../../core/secrets/redactor.ts';
import { endToEndHeaders } from '../exchange/file-body.ts';
import type { ExchangeSettings } from '../exchange/settings.ts';
import { streamInterrupted, invalidResponse, timeoutFault, clientNotReading } from '../exchange/faults.ts';
import type { FindProxy } from '../egress/proxy.ts';
import { addressMs, type Endpoint, endpointOf } from '../endpoint.ts';
import { proxyConnector } from '../proxy/connector.ts';
import { slowClientMs } from '../../wire/slow-client.ts';
import { closeAfterErrors } from '../../wire/socket-errors.ts';
import type { Sweepable } from '../../wire/sweeper.ts';
import { abnormalClose, closeFrame, FrameCounter } from './frames.ts';
import { toOutgoingHeaders, forwardedHeaders, upgradeFault } from './handshake.ts';
import { type MessageReader, TextMessageAssembler } from './messages.ts';
import { readRejection } from './rejection.ts';
import { request as httpRequest } from '../../../core/node-http.ts';

/** RFC 6455 7.4.1: the endpoint is going away. */
const goingAway = 1001;

const none: Buffer = Buffer.alloc(0);
const noPieces: readonly never[] = Object.freeze([]);

export interface WebSocketSettings extends Pick<ExchangeSettings, 'monotonic' | 'onEcho' | 'arrivedAt' | 'begunAt' | 'settle' | 'over'> {
  /** A DNS lookup that rejects addresses which the egress rules forbid. */
  readonly lookup: LookupFunction | undefined;
  readonly proxy?: FindProxy | undefined;
}

/**
 * One attempt at a WebSocket: its request is the upgrade, its response is `101`, and then frames flow in both directions.
 * Frames are forwarded unchanged; the gateway only inspects them.
 */
export class WebSocketExchange implements Sweepable, Flow, EchoListener {
  index: number | undefined;
  readonly isBegun = true;
  readonly #attempt: Attempt;
  readonly #body: SocketBody;
  readonly #settings: WebSocketSettings;
  readonly #startedAt: number;
  readonly #fromClient = new FrameCounter();
  #fromProvider = new FrameCounter();
  #redactor: SecretRedactor | undefined;
  #request: ClientRequest | undefined;
  #upstream: Duplex | undefined;
  #consumer: FlowConsumer | undefined;
  /** Infinite while a token is being fetched. */
  #dialAt: number;
  #connectedAt: number | undefined;
  #firstAt: number | undefined;
  #lastActivityAt: number;
  #bytes = 0;
  #isSettled = false;
  /** The client ended its side. */
  #hasClientEnded = false;
  #isClientDisconnected = false;
  /** The client does not read what it was sent, or plugins still inspect the response, so the provider is not read either. */
  #isPaused = false;
  #isProviderDisconnected = false;
  /** Nothing more is forwarded: both sides are being closed. */
  #isEnding = false;
  #isOver = false;

  constructor(attempt: Attempt, body: SocketBody, settings: WebSocketSettings) {
    this.#attempt = attempt;
    this.#body = body;
    this.#settings = settings;
    this.#dialAt = settings.monotonic();
    this.#lastActivityAt = this.#dialAt;
    this.#startedAt = settings.begunAt ?? this.#dialAt;
  }

  // ---- the request ------------------------------------------------------------------------------

  setSecrets(secrets: SecretVariants | undefined): void {
    this.#redactor = secrets === undefined ? undefined : new SecretRedactor(secrets, this);
  }

  onEcho(): void {
    this.#attempt.echoes += 1;
    this.#settings.onEcho(this.#attempt);
  }

  /** A token has to be fetched first. The connect timeout does not run, because no connection is being opened. */
  signingStarted(): void {
    this.#dialAt = Number.POSITIVE_INFINITY;
  }

  signingFinished(): boolean {
    this.#dialAt = this.#settings.monotonic();
    return !this.#isSettled;
  }

  /** Opens a new connection: a WebSocket's connection cannot be reused, and a kept-alive one may be closed already. */
  dial(origin: string, path: string, headers: HeaderPairs): void {
    const url = new URL(origin);
    const endpoint = endpointOf(url);
    const sent = toOutgoingHeaders([...headers, ...this.#body.handshake, 'host', url.host]);
    const { host, port, isTls } = endpoint;
    const request = (isTls ? httpsRequest : httpRequest)({ host, port, path, headers: sent, ...this.#connecting(endpoint) });
    this.#request = request;
    request.on('socket', (socket: Socket) => {
      if (!socket.connecting) this.#onConnected();
      else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', this.#onConnected);
    });
    request.on('error', (error) => this.#guard(() => this.#failed(error)));
    request.on('response', (response) => this.#guard(() => this.#onRejected(response)));
    request.on('upgrade', (response, upstream, head) => this.#guard(() => this.#onUpgrade(response, upstream, head)));
    request.end();
  }

  #connecting(endpoint: Endpoint): RequestOptions & { readonly autoSelectFamilyAttemptTimeout?: number } {
    const { lookup, proxy: find } = this.#settings;
    const proxy = find?.(endpoint);
    const lookingUp = lookup === undefined ? {} : { lookup };
    if (proxy === undefined) return { agent: false, autoSelectFamilyAttemptTimeout: addressMs, ...lookingUp };
    const connector = proxyConnector(proxy, endpoint, lookup, this.#attempt.timeouts.connect);
    return { createConnection: connector as RequestOptions['createConnection'] };
  }

  readonly #onConnected = (): void => {
    this.#connectedAt = this.#settings.monotonic();
    this.#lastActivityAt = this.#connectedAt;
  };

  #failed(error: Error): void {
    if (error instanceof GatewayError) this.refuse(error);
    else
      this.#settle({
        kind: 'unreachable',
        attempt: this.#attempt,
        times: this.#times(),
        cause: error,
        sent: this.#connectedAt !== undefined,
      });
  }

  #onRejected(answer: IncomingMessage): void {
    this.#noteResponse();
    const status = answer.statusCode ?? 0;
    if (isFinalStatus(status) && status >= 400) {
      readRejection(answer, this.#redactor)
        .then((reply) => this.#settle({ kind: 'answered', attempt: this.#attempt, times: this.#times(), reply }))
        .catch((thrown: unknown) => this.crashed(thrown));
      return;
    }
    this.#invalid(`returned the status ${status} instead of opening a WebSocket`);
  }

  #invalid(problem: string): void {
    const fault = invalidResponse(`The provider ${problem}.`);
    this.#settle({ kind: 'faulty', attempt: this.#attempt, times: this.#times(), fault });
  }

  #onUpgrade(answer: IncomingMessage, upstream: Duplex, head: Buffer): void {
    closeAfterErrors(upstream);
    if (this.#isSettled) {
      upstream.destroy();
      return;
    }
    this.#noteResponse();
    const problem = upgradeFault(answer.headers, this.#body.handshake);
    if (problem !== undefined) {
      upstream.destroy();
      this.#invalid(problem);
      return;
    }
    this.#upstream = upstream;
    this.#isPaused = true;
    if (head.length > 0) upstream.unshift(head);
    upstream.on('close', this.#onProviderClose).on('drain', () => this.#body.resume());
    const forwarded = endToEndHeaders(forwardedHeaders(answer.headers, this.#body.offeredProtocols));
    const headers = this.#redactor === undefined ? forwarded : this.#redactor.headers(forwarded);
    const tap = this.#attempt.translation?.tap;
    if (tap?.reads !== undefined) this.#fromProvider = new FrameCounter(new TextMessageAssembler(readerFor(tap)));
    const reply = { status: 101, headers, body: none, flow: this, tap };
    this.#settle({ kind: 'answered', attempt: this.#attempt, times: this.#times(), reply });
  }

  #noteResponse(): void {
    this.#firstAt = this.#settings.monotonic();
    this.#lastActivityAt = this.#firstAt;
  }

  refuse(error: unknown): void {
    this.#settle({ kind: 'refused', attempt: this.#attempt, times: this.#times(), error: fromUnknown(error) });
  }

  /** Ends this exchange after an error in the gateway. */
  crashed(thrown: unknown): void {
    if (this.#upstream === undefined) this.refuse(thrown);
    else this.#end(() => this.#consumer?.fault(fromUnknown(thrown)));
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.crashed(thrown);
    }
  }

  #settle(outcome: Outcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    if (this.#upstream === undefined) {
      this.#request?.destroy();
      this.#over();
    }
    this.#settings.settle(outcome);
  }

  // ---- the flow ---------------------------------------------------------------------------------

  /** Frames are counted, not kept. */
  get kept(): KeptBody {
    return { pieces: noPieces, size: this.#bytes, contentType: '', times: noPieces };
  }

  get socket(): SocketRecord {
    return {
      close: { client: this.#fromClient.closeCode, provider: this.#fromProvider.closeCode },
      frames: { in: this.#fromClient.frames, out: this.#fromProvider.frames },
    };
  }

  /** The close frame for the client when the gateway ends the WebSocket, unless the provider disconnected, sent one, or left a frame incomplete. */
  get closeFrame(): Buffer | undefined {
    const { closeCode, isAtBoundary } = this.#fromProvider;
    return this.#isProviderDisconnected || closeCode !== abnormalClose || !isAtBoundary ? undefined : closeFrame(goingAway, false);
  }

  into(consumer: FlowConsumer): void {
    this.#consumer = consumer;
    this.#isPaused = false;
    this.#lastActivityAt = this.#settings.monotonic();
    const upstream = this.#upstream as Duplex;
    if (upstream.destroyed) {
      this.#onProviderClose();
      return;
    }
    upstream.on('data', (chunk: Buffer) => this.#guard(() => this.#toClient(chunk, consumer)));
    this.#body.into({
      data: (chunk) => this.#guard(() => this.#toProvider(chunk, upstream)),
      end: () => {
        this.#hasClientEnded = true;
        upstream.end();
      },
      disconnected: () => this.#guard(() => this.#onClientDisconnect()),
    });
  }

  pause(): void {
    this.#isPaused = true;
    this.#upstream?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#lastActivityAt = this.#settings.monotonic();
    this.#upstream?.resume();
  }

  /** Before the upgrade this cancels the attempt; after it, this ends the WebSocket. */
  abort(): void {
    if (this.#upstream === undefined) this.#settle({ kind: 'cancelled', attempt: this.#attempt, times: this.#times() });
    else this.#end(() => {});
  }

  /** Overwrites the credential in uncompressed frames. Compressed frames are not searched. */
  #toClient(chunk: Buffer, consumer: FlowConsumer): void {
    this.#lastActivityAt = this.#settings.monotonic();
    if (this.#isEnding) return;
    this.#redactor?.overwriteChunk(chunk);
    this.#bytes += chunk.length;
    this.#fromProvider.push(chunk);
    consumer.data(chunk, noPieces);
  }

  #toProvider(chunk: Buffer, upstream: Duplex): void {
    this.#lastActivityAt = this.#settings.monotonic();
    this.#fromClient.push(chunk);
    if (!this.#isEnding && !upstream.destroyed && !upstream.write(chunk)) this.#body.pause();
  }

  /** After a close frame, waits for the provider's remaining frames. Without one, the WebSocket ends. */
  #onClientDisconnect(): void {
    this.#isClientDisconnected = true;
    if (this.#isClosed()) closeGracefully(this.#upstream);
    else if (!this.#isEnding) this.#body.disconnect();
  }

  readonly #onProviderClose = (): void => {
    this.#isProviderDisconnected = true;
    if (this.#consumer === undefined) return;
    const consumer = this.#consumer;
    if (this.#isClosed()) this.#end(() => consumer.end(none, noPieces));
    else if (this.#hasClientEnded) this.#end(() => this.#body.disconnect());
    else this.#end(() => consumer.fault(streamInterrupted("The provider's connection broke in the middle of the response.")));
    this.#over();
  };

  #isClosed(): boolean {
    return this.#fromClient.closeCode !== abnormalClose || this.#fromProvider.closeCode !== abnormalClose;
  }

  /** Runs once: reports the end and closes the provider's side, after a close frame of the gateway if neither side closed. */
  #end(report: () => void): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#lastActivityAt = this.#settings.monotonic();
    const upstream = this.#upstream;
    const isClosedByGateway = !this.#isClientDisconnected && !this.#isProviderDisconnected && !this.#isClosed();
    if (isClosedByGateway && this.#fromClient.isAtBoundary && upstream?.writable === true) upstream.write(closeFrame(goingAway, true));
    report();
    closeGracefully(upstream);
    if (upstream?.destroyed !== false) this.#over();
  }

  // ---- clocks -----------------------------------------------------------------------------------

  sweep(now: number): void {
    const { timeouts } = this.#attempt;
    if (this.#connectedAt === undefined) {
      if (now - this.#dialAt > timeouts.connect) this.#timeOut('connect', timeouts.connect);
    } else if (now - this.#lastActivityAt > this.#maxIdleMs) {
      if (this.#isEnding || this.#isClientDisconnected) this.#upstream?.destroy();
      else if (this.#upstream === undefined) this.#timeOut('idle', timeouts.idle);
      else if (this.#hasClientEnded) this.#end(() => this.#body.disconnect());
      else this.#end(() => this.#consumer?.fault(this.#isPaused ? clientNotReading() : timeoutFault('idle', timeouts.idle)));
    }
  }

  /** Milliseconds for which nothing may move. A client that does not read has the time that it has for any response. */
  get #maxIdleMs(): number {
    const { idle } = this.#attempt.timeouts;
    if (this.#hasClientEnded) return Math.min(idle, halfOpenMs);
    return this.#isPaused && !this.#isEnding && !this.#isClientDisconnected ? Math.max(idle, slowClientMs) : idle;
  }

  #timeOut(phase: TimeoutPhase, afterMs: number): void {
    const sent = this.#connectedAt !== undefined;
    this.#settle({ kind: 'timeout', attempt: this.#attempt, times: this.#times(), phase, afterMs, sent });
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settings.over(this);
  }

  #times(): Times {
    const since = (at: number | undefined): number | undefined => (at === undefined ? undefined : at - this.#startedAt);
    const at = this.#startedAt - this.#settings.arrivedAt;
    const totalMs = this.#settings.monotonic() - this.#startedAt;
    return { at, connectMs: since(this.#connectedAt), firstByteMs: since(this.#firstAt), totalMs };
  }
}

/** Passes an empty text for a message that the tap wanted but that was too long to read. */
const readerFor = (tap: Tap): MessageReader => ({
  reads: (beginning) => tap.reads?.(beginning) === true,
  read: (text = '') => void tap.event({ name: '', data: text }),
});

/** How long a client that ended its side without a close frame waits for a silent provider, in milliseconds. */
const halfOpenMs = 5000;

/** Writes pending data, then closes both directions. net and TLS sockets have `destroySoon` for this. */
function closeGracefully(socket: Duplex | undefined): void {
  if (socket === undefined) return;
  if ('destroySoon' in socket && typeof socket.destroySoon === 'function') socket.destroySoon();
  else socket.end(() => socket.destroy());
}
