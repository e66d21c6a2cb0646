import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { fromUnknown, GatewayError } from '../../../core/error.ts';
import type { HeaderBag, HeaderPairs } from '../../../core/http/headers.ts';
import type { PassRequest, PassResult } from '../../../core/pass.ts';
import { isFinalStatus } from '../../../core/http/status.ts';
import { tooLarge, uploadLimit } from '../../inbound/multipart/client-bytes.ts';
import { Redactor } from '../../../core/secrets/redactor.ts';
import { lateness } from '../../inbound/body/lateness.ts';
import type { Sweeper, Swept } from '../exchange/sweeper.ts';
import { brokeOff, notConnected, notReached, unknownStatus, wentSilent } from './faults.ts';
import { answerHeaders, headerOf, overlay, relayHeaders } from './headers.ts';
import { idempotentMethods, isUnread, whenConnected, type Written } from './upstream-side.ts';

/** A client that takes nothing may do so for this long at least: it holds a connection, but no provider waits in vain. */
const slowClientMs = 10 * 60_000;

const none: Buffer = Buffer.alloc(0);

export interface TransferParts {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly bag: HeaderBag;
  readonly pass: PassRequest;
  readonly sweeper: Sweeper;
  /** Bytes. */
  readonly maxUpload: number;
  monotonic(): number;
  /** Gives the request to the proxy library with this complete set of headers and this body. */
  forward(parts: TransferParts, transfer: Transfer, headers: HeaderPairs, body: PassThrough): void;
}

/**
 * One relayed HTTP request. The library sends the request and parses the answer; the answer's way to the client is
 * ours, because its end must wait for the record and a broken one must never look whole.
 */
export class Transfer implements Swept {
  place: number | undefined;
  readonly #parts: TransferParts;
  readonly #startedAt: number;
  readonly #hasBody: boolean;
  /**
   * Between the client's request and the library. It stays empty until the provider is connected, so a target that
   * can't be reached costs no byte of the upload and the next one can have it whole.
   */
  #body = new PassThrough();
  #settle: ((result: PassResult | Promise<PassResult>) => void) | undefined;
  #out: ClientRequest | undefined;
  #answer: IncomingMessage | undefined;
  #headers: HeaderPairs = [];
  readonly #redactor: Redactor | undefined;
  /** The answer is compressed although none was asked for: its bytes pass unread. */
  #isCompressed = false;
  /** Body bytes that the answer's head promises; undefined where only the end of the transport tells. */
  #promised: number | undefined;
  #last: Buffer | undefined;
  #connectedAt: number | undefined;
  #firstAt: number | undefined;
  #movedAt: number;
  #waitsForClient = false;
  /** Milliseconds for which the rest of the upload was waited for, counted by the sweeps. */
  #awaitedMs = 0;
  #sweptAt: number;
  #headSent = false;
  #bodySent = false;
  #bytesIn = 0;
  #bytesOut = 0;
  #written: Written | undefined;
  /** The kept connection was closed: another try would be the first that anybody reads. */
  #isUnread = false;

  constructor(parts: TransferParts) {
    this.#parts = parts;
    this.#startedAt = parts.monotonic();
    this.#movedAt = this.#startedAt;
    this.#sweptAt = this.#startedAt;
    const { secrets } = parts.pass;
    this.#redactor = secrets === undefined ? undefined : new Redactor(secrets, parts.pass);
    const { headers } = parts.req;
    this.#hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  }

  run(): Promise<PassResult> {
    const { req, res, sweeper, pass } = this.#parts;
    return new Promise((resolve) => {
      this.#settle = resolve;
      if (res.destroyed || res.closed) {
        this.#finish('client_gone');
      } else if (this.#hasBody && req.readableDidRead) {
        this.#bodySent = true;
        this.#finish('unreachable', notReached(new Error('the body was already sent to another target'), pass.address.origin));
      } else {
        res.on('close', this.#onClientGone).on('error', this.#onClientGone).on('drain', this.#onDrain);
        sweeper.add(this);
        this.#send();
      }
    });
  }

  /** Ends it from our side: the gateway stops. */
  stop(error: GatewayError): void {
    this.#finish(this.#headSent ? 'interrupted' : 'unreachable', error);
  }

  /** A defect on its way: the end of this one. */
  crashed(thrown: unknown): void {
    this.#finish(this.#headSent ? 'interrupted' : 'refused', fromUnknown(thrown));
  }

  // ---- the request ------------------------------------------------------------------------------

  #send(): void {
    const { req, bag, pass } = this.#parts;
    const headers = overlay(relayHeaders(bag.entries(), bag, pass.withheld), pass.headers);
    // Of a compressed answer nobody could say whether it repeats the credential.
    headers.push('accept-encoding', 'identity');
    // Framing is set from what the server parsed, never from what a header list says: the two must not differ.
    if (req.headers['transfer-encoding'] !== undefined) headers.push('transfer-encoding', 'chunked');
    else if (req.headers['content-length'] !== undefined) headers.push('content-length', req.headers['content-length']);
    this.#body = new PassThrough();
    if (!this.#hasBody) this.#body.end();
    try {
      this.#parts.forward(this.#parts, this, headers, this.#body);
    } catch (thrown) {
      this.#finish('refused', fromUnknown(thrown));
    }
  }

  /** The library has a socket for the request. */
  onSocket(out: ClientRequest, socket: Socket): void {
    this.#out = out;
    if (this.#settle === undefined) out.destroy();
    else whenConnected(socket, () => this.#connected(out, socket));
  }

  #connected(out: ClientRequest, socket: Socket): void {
    if (this.#settle === undefined || out !== this.#out) return;
    const { req, monotonic } = this.#parts;
    const now = monotonic();
    this.#connectedAt = out.reusedSocket ? this.#startedAt : now;
    this.#movedAt = now;
    if (out.reusedSocket) this.#written = { socket, read: socket.bytesRead, at: now };
    if (this.#hasBody) {
      req.pipe(this.#body);
      req.on('data', this.#onUpload);
    } else {
      this.#bodySent = !idempotentMethods.has(req.method ?? '');
    }
  }

  readonly #onUpload = (chunk: Buffer): void => {
    this.#bodySent = true;
    this.#bytesIn += chunk.length;
    if (this.#bytesIn > this.#parts.maxUpload) this.#finish('refused', tooLarge(uploadLimit(this.#parts.maxUpload), undefined));
    this.#movedAt = this.#parts.monotonic();
  };

  /** The library's error callback: before an answer it is the end; afterwards the answer itself tells how it ends. */
  onFailure(error: Error): void {
    if (this.#settle === undefined) return;
    if (this.#answer !== undefined) {
      if (this.#endsByClosing(this.#answer)) this.#onAnswerBroken();
      return;
    }
    const { req, res, pass, monotonic } = this.#parts;
    if (res.destroyed || (req.destroyed && !req.complete)) {
      this.#finish('client_gone');
    } else if (error instanceof GatewayError) {
      this.#finish('refused', error);
    } else {
      this.#isUnread = !this.#bodySent && isUnread(this.#out, error, this.#written, monotonic());
      this.#finish('unreachable', notReached(error, pass.address.origin));
    }
  }

  // ---- the answer -------------------------------------------------------------------------------

  onAnswer(answer: IncomingMessage): void {
    if (this.#settle === undefined) {
      answer.destroy();
      return;
    }
    const { bag, monotonic } = this.#parts;
    this.#answer = answer;
    this.#firstAt = monotonic();
    this.#movedAt = this.#firstAt;
    if (!isFinalStatus(answer.statusCode ?? 0)) {
      this.#finish('interrupted', unknownStatus(answer.statusCode));
      return;
    }
    const passed = answerHeaders(answer.rawHeaders, bag);
    this.#headers = this.#redactor === undefined ? passed : this.#redactor.pairs(passed);
    this.#isCompressed = (headerOf(this.#headers, 'content-encoding') ?? 'identity') !== 'identity';
    const length = headerOf(this.#headers, 'content-length');
    this.#promised = length === undefined ? undefined : Number(length);
    answer.on('data', this.#onDownload).on('end', this.#onAnswerEnd);
    answer.on('error', this.#onAnswerBroken).on('close', this.#onAnswerBroken);
    // Where a length is promised the head waits for the first byte: until then a broken answer can become a good error.
    if (this.#promised === undefined && this.#mayHaveBody()) this.#commit();
  }

  #mayHaveBody(): boolean {
    const status = this.#answer?.statusCode;
    return this.#parts.req.method !== 'HEAD' && status !== 204 && status !== 304;
  }

  /** Node takes a reset for the end of such a body, so the error that came just before it must be heeded. */
  #endsByClosing(answer: IncomingMessage): boolean {
    return !answer.complete && this.#promised === undefined && answer.headers['transfer-encoding'] === undefined && this.#mayHaveBody();
  }

  /** Our head goes out, or the answer is refused. False when it was refused. */
  #commit(): boolean {
    if (this.#headSent) return true;
    const { res, pass } = this.#parts;
    const status = this.#answer?.statusCode ?? 502;
    let ours: HeaderPairs | GatewayError;
    try {
      ours = pass.onHead(status, this.#headers);
    } catch (thrown) {
      ours = fromUnknown(thrown);
    }
    if (ours instanceof GatewayError) {
      this.#finish('refused', ours);
      return false;
    }
    try {
      res.writeHead(status, overlay(this.#headers, ours));
    } catch (thrown) {
      this.crashed(thrown);
      return false;
    }
    this.#headSent = true;
    if (this.#promised === undefined && this.#mayHaveBody()) res.flushHeaders();
    return true;
  }

  readonly #onDownload = (received: Buffer): void => {
    if (this.#settle === undefined) return;
    this.#movedAt = this.#parts.monotonic();
    this.#bytesOut += received.length;
    const isLast = this.#promised !== undefined && this.#bytesOut >= this.#promised;
    const chunk = this.#redacted(received, isLast);
    if (isLast) {
      // With a promised length the last byte is the end, so it waits for the record.
      this.#last = chunk;
    } else if (this.#commit() && chunk.length > 0 && !this.#parts.res.write(chunk)) {
      this.#waitsForClient = true;
      this.#answer?.pause();
    }
  };

  /** What may leave: no bytes in which the credential is, nor those at the end that could be its beginning. */
  #redacted(received: Buffer, isLast: boolean): Buffer {
    const redactor = this.#redactor;
    if (redactor === undefined || this.#isCompressed) return received;
    const bytes = redactor.push(received);
    const rest = isLast ? redactor.end() : none;
    return rest.length === 0 ? bytes : Buffer.concat([bytes, rest]);
  }

  readonly #onDrain = (): void => {
    this.#movedAt = this.#parts.monotonic();
    this.#waitsForClient = false;
    this.#answer?.resume();
  };

  readonly #onAnswerEnd = (): void => {
    if (this.#settle === undefined) return;
    if (this.#answer?.complete !== true) this.#onAnswerBroken();
    else if (this.#commit()) {
      const rest = this.#redactor?.end();
      if (rest !== undefined && rest.length > 0) this.#last = rest;
      this.#finish('whole');
    }
  };

  readonly #onAnswerBroken = (): void => {
    if (this.#settle === undefined) return;
    const { res, pass } = this.#parts;
    if (res.destroyed) this.#finish('client_gone');
    else if (this.#headSent) this.#finish('interrupted', brokeOff());
    else this.#finish('unreachable', notReached(new Error('the connection broke before the response was complete'), pass.address.origin));
  };

  readonly #onClientGone = (): void => this.#finish('client_gone');

  // ---- clocks and the end -----------------------------------------------------------------------

  sweep(now: number): void {
    const { clocks, address } = this.#parts.pass;
    if (this.#connectedAt === undefined) {
      if (now - this.#startedAt > clocks.connect) this.#finish('timeout', notConnected(clocks.connect, address.origin));
      return;
    }
    const late = this.#lateUpload(now);
    if (late !== undefined) {
      this.#finish('timeout', late);
      return;
    }
    const limit = this.#waitsForClient ? Math.max(clocks.idle, slowClientMs) : clocks.idle;
    if (now - this.#movedAt > limit) this.#finish('timeout', wentSilent(this.#silentSide(), limit, this.#headSent));
  }

  #silentSide(): 'client' | 'provider' {
    return this.#waitsForClient || this.#waitsForUpload ? 'client' : 'provider';
  }

  get #waitsForUpload(): boolean {
    const { req } = this.#parts;
    return this.#hasBody && !req.complete && !req.isPaused() && this.#body.writableLength === 0;
  }

  #lateUpload(now: number): GatewayError | undefined {
    const since = now - this.#sweptAt;
    this.#sweptAt = now;
    if (!this.#waitsForUpload) return undefined;
    this.#awaitedMs += since;
    return lateness({ silentMs: 0, waitedMs: this.#awaitedMs, bytes: this.#bytesIn, limitMs: Number.POSITIVE_INFINITY });
  }

  #finish(kind: PassResult['kind'], error?: GatewayError): void {
    const settle = this.#settle;
    if (settle === undefined) return;
    this.#settle = undefined;
    this.#release(kind === 'whole');
    const result: PassResult = { ...this.#facts(), kind, error };
    if (this.#headSent) settle(this.#seal(result));
    else settle(result);
  }

  /** The record first, then the end: the answer's own, or a cut that no client takes for one. */
  async #seal(result: PassResult): Promise<PassResult> {
    const { res, req, pass } = this.#parts;
    try {
      await pass.onEnd(result);
    } finally {
      if (result.kind === 'whole') res.end(this.#last);
      // An HTTP/1.0 client knows the end of an unsized body by the closing alone, so it must see a reset.
      else if (req.httpVersion === '1.0' && this.#promised === undefined) req.socket.resetAndDestroy();
      else res.destroy();
    }
    return result;
  }

  #facts(): Omit<PassResult, 'kind' | 'error'> {
    const since = (at: number | undefined): number | undefined => (at === undefined ? undefined : at - this.#startedAt);
    return {
      status: this.#answer?.statusCode,
      headSent: this.#headSent,
      bodySent: this.#bodySent,
      isUnread: this.#isUnread,
      bytesIn: this.#bytesIn,
      bytesOut: this.#bytesOut,
      connectMs: since(this.#connectedAt),
      firstByteMs: since(this.#firstAt),
    };
  }

  #release(isWhole: boolean): void {
    const { req, res, sweeper } = this.#parts;
    sweeper.delete(this);
    // The listener for errors stays: an end that is written to a connection which just broke is not a defect.
    res.off('close', this.#onClientGone).off('drain', this.#onDrain);
    req.off('data', this.#onUpload);
    req.unpipe(this.#body);
    // A request that is still being written has lost its reader: its connection can't be used again.
    if (!isWhole || this.#out?.writableFinished !== true) this.#out?.destroy();
  }
}
