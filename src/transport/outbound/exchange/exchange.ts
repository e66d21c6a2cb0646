import { connectionFault } from '../../../core/http/connection-fault.ts';
import { isEncoded } from '../../../core/http/headers.ts';
import { fromUnknown, GatewayError } from '../../../core/error.ts';
import { errorCode } from '../../../core/text/error-code.ts';
import type { Attempt, Flow, Outcome, Times, TimeoutPhase } from '../../../core/plan.ts';
import { type EchoListener, SecretRedactor, type SecretVariants } from '../../../core/secrets/redactor.ts';
import type { Timeouts } from '../../../core/snapshot.ts';
import { isFinalStatus } from '../../../core/http/status.ts';
import type { Tap } from '../../../core/tap.ts';
import type { Sweepable } from '../../wire/sweeper.ts';
import type { ResponseReceiver, ResponseControl } from '../../wire/request.ts';
import type { UpstreamBody, UpstreamBodyOwner, AttemptState } from './upstream-body.ts';
import { FileBody, canHaveBody, endToEndHeaders } from './file-body.ts';
import { framingOf, scannerOf } from '../framing/index.ts';
import { EventStreamBody } from './event-stream-body.ts';
import {
  streamInterrupted,
  invalidResponse,
  isConnectTimeout,
  isInvalidHttp,
  timeoutFault,
  clientNotSending,
  clientNotReading,
} from './faults.ts';
import { BodyRecorder } from './body-recorder.ts';
import {
  expiredTimeout,
  isClientNotReading,
  isStillSending,
  limitOf,
  silentSide,
  type TransferKind,
  transferKindOf,
  type TimedAttempt,
} from './timeouts.ts';
import { type StreamedBody, Upload } from './upload.ts';
import { BufferedBody } from './buffered-body.ts';
import type { ExchangeSettings } from './settings.ts';

/** Milliseconds that the provider has to close its side after the end mark. */
const closingMs = 1000;

const none: Buffer = Buffer.alloc(0);

/**
 * One attempt on the wire: turns the events of the socket into one Outcome. An `UpstreamBody` reads the body of the response,
 * decides when it is committed, and is its flow from then on.
 */
export class HttpExchange implements ResponseReceiver, Sweepable, UpstreamBodyOwner, TimedAttempt, EchoListener {
  index: number | undefined;
  readonly attempt: Attempt;
  readonly tap: Tap;
  readonly timeouts: Timeouts;
  readonly recorder: BodyRecorder;
  readonly maxResponse: number;
  readonly startedAt: number;
  state: AttemptState = 'waiting';
  status = 0;
  headers: Readonly<Record<string, string>> = {};
  body: UpstreamBody | undefined;
  dialAt: number;
  connectedAt: number | undefined;
  sentAt: number | undefined;
  unsent = 0;
  firstAt: number | undefined;
  /** When the last bytes of the response were received. */
  lastReceivedAt = 0;
  /** The form that is being sent. */
  upload: Upload | undefined;
  /** An upload or download of any size: only the idle timeout ends it. `relay`: a route that the gateway does not interpret. */
  readonly transfer: TransferKind;
  readonly #settings: ExchangeSettings;
  /** Bytes of the response that are counted against the memory budget. */
  #reservedBytes = 0;
  #settled = false;
  #source: ResponseControl | undefined;
  /** Masks the credential wherever the provider repeats it, before any code reads the response. */
  #redactor: SecretRedactor | undefined;
  /** Compressed bytes cannot be searched. The body is searched after it is decompressed. */
  #isCompressed = false;

  constructor(attempt: Attempt, tap: Tap, settings: ExchangeSettings) {
    this.attempt = attempt;
    this.tap = tap;
    this.timeouts = attempt.timeouts;
    this.transfer = transferKindOf(attempt.call?.endpoint);
    this.#settings = settings;
    this.dialAt = settings.monotonic();
    this.startedAt = settings.begunAt ?? this.dialAt;
    this.recorder = new BodyRecorder(Math.max(settings.maxRecorded, attempt.interception?.keeper?.maxBytes ?? 0), settings.budget);
    this.maxResponse = settings.maxResponse;
  }

  connected(source: ResponseControl): void {
    this.#source = source;
    this.connectedAt = this.now();
    const body = this.attempt.upstream?.body;
    if (this.state === 'over') source.abort();
    else if (body?.kind === 'passing') body.spend();
  }

  sent(): void {
    this.sentAt = this.now();
  }

  /** Masks the request's own credentials wherever the upstream response repeats them. */
  setSecrets(secrets: SecretVariants | undefined): void {
    this.#redactor = secrets === undefined ? undefined : new SecretRedactor(secrets, this);
  }

  head(status: number, received: Readonly<Record<string, string>>): void {
    if (this.state === 'over') return;
    const maskedHeaders = this.#redactor === undefined ? received : this.#redactor.headers(received);
    const headers = this.transfer === 'relay' ? endToEndHeaders(maskedHeaders) : maskedHeaders;
    this.status = status;
    this.headers = headers;
    this.#isCompressed = isEncoded(headers);
    this.recorder.contentType = headers['content-type'] ?? '';
    const type = this.recorder.contentType.toLowerCase();
    const framing = status < 300 ? framingOf(type) : undefined;
    if (!isFinalStatus(status)) {
      this.rejectResponse(invalidResponse(`The provider returned the status ${status}, which is not a valid HTTP status.`));
    } else if (this.#isFile(status, type)) {
      this.state = 'whole';
      const answer = new FileBody(this, this.now());
      this.body = answer;
      if (this.transfer === 'relay' && canHaveBody(status, this.attempt.upstream?.method)) answer.begin();
    } else if (status >= 300 && status < 400) {
      this.rejectResponse(invalidResponse(`The provider returned a redirect (${status}); the gateway does not follow redirects.`, false));
    } else if (framing !== undefined) {
      if (this.#isCompressed) {
        this.rejectResponse(invalidResponse('The provider compressed a stream although no compression was requested.'));
        return;
      }
      this.state = 'holding';
      // Frames that only wrap events of another format are forwarded as server-sent events.
      if (framing === 'aws-frames' && this.tap.unwrap !== undefined) this.headers = { ...headers, 'content-type': 'text/event-stream' };
      this.body = new EventStreamBody(this, this.now(), scannerOf(framing, this.tap));
    } else {
      this.state = 'whole';
      this.body = new BufferedBody(this, this.now());
    }
  }

  /** True for a response whose body is not parsed: a download, or audio and text in any format. */
  #isFile(status: number, type: string): boolean {
    if (this.tap.form !== 'bytes') return false;
    if (this.transfer === 'relay' || this.transfer === 'down') return status < 300 || status === 304;
    return status < 300 && !/^(?:text\/(?:event-stream|html)|application\/(?:[^;]*\+)?json)/.test(type);
  }

  data(received: Buffer): void {
    if (this.state === 'over') return;
    const now = this.now();
    this.lastReceivedAt = now;
    if (this.transfer !== undefined) this.#settings.passed(received.length);
    this.firstAt ??= now;
    const chunk = this.#redactor === undefined || this.#isCompressed ? received : this.#redactor.push(received);
    if (chunk.length > 0) this.#read(chunk, now);
  }

  #read(chunk: Buffer, now: number): void {
    this.recorder.add(chunk, Math.round(now - this.#settings.arrivedAt));
    this.body?.data(chunk, now);
    const waiting = this.body?.bufferedBytes ?? 0;
    if (waiting !== this.#reservedBytes) this.#reserve(waiting);
  }

  recountMemory(): boolean {
    this.#reserve(this.body?.bufferedBytes ?? 0);
    return !this.#settled;
  }

  /** Counts the bytes of the response that are now in memory against the budget. */
  #reserve(bytes: number): void {
    const { budget } = this.#settings;
    if (this.state === 'over') return;
    if (bytes < this.#reservedBytes) budget.give(this.#reservedBytes - bytes);
    else if (!budget.take(bytes - this.#reservedBytes)) {
      if (this.state === 'flowing') this.body?.close({ kind: 'fault', error: budget.exceeded() });
      else this.refuse(budget.exceeded());
      return;
    }
    this.#reservedBytes = bytes;
  }

  /** Ends the attempt: nothing is in flight any more. */
  #end(): void {
    this.state = 'over';
    this.upload?.cancel();
    this.#settings.budget.give(this.#reservedBytes);
    this.#reservedBytes = 0;
    this.recorder.end();
    this.#settings.over(this);
  }

  finished(): void {
    const rest = this.#redactor?.end() ?? none;
    if (this.state !== 'over' && rest.length > 0) this.#read(rest, this.now());
    if (this.state !== 'over') this.body?.finished();
  }

  /** Masks the credential in a decompressed body, in place. */
  redacted(body: Buffer): Buffer {
    return this.#redactor === undefined || !this.#isCompressed ? body : this.#redactor.whole(body);
  }

  onEcho(): void {
    this.attempt.echoes += 1;
    this.#settings.onEcho(this.attempt);
  }

  failed(error: Error, isUnread = false): void {
    if (this.upload?.fault !== undefined && this.#failUpload(this.upload.fault)) return;
    switch (this.state) {
      case 'over':
        return;
      case 'closing':
        this.body?.close({ kind: 'whole' });
        return;
      case 'flowing':
        this.body?.close({
          kind: 'fault',
          error: streamInterrupted(`The provider's connection broke in the middle of the response (${connectionFault(error)}).`),
        });
        return;
      case 'waiting':
        this.#failWithoutResponse(error, isUnread);
        return;
      default:
        this.rejectResponse(
          invalidResponse(`The provider's connection broke before the response was complete (${connectionFault(error)}).`),
        );
    }
  }

  /** The client's form cannot be read or rewritten, which is not the provider's fault. False if the outcome does not depend on it. */
  #failUpload(error: GatewayError): boolean {
    if (this.state === 'over' || this.state === 'closing') return false;
    if (this.state === 'flowing') this.body?.close({ kind: 'fault', error });
    else this.refuse(error);
    return true;
  }

  /** Prepares a body that is not held in memory for sending. False if that fails. */
  openUpload(body: StreamedBody): boolean {
    try {
      this.upload = new Upload(body, this.#settings.monotonic);
      return true;
    } catch (thrown) {
      this.refuse(thrown);
      return false;
    }
  }

  /** A token has to be fetched first. The connect timeout does not run, because no connection is being opened. */
  signingStarted(): void {
    this.dialAt = Number.POSITIVE_INFINITY;
  }

  /** The request is about to be sent. False if the attempt is already over. */
  signingFinished(): boolean {
    this.dialAt = this.now();
    return this.state !== 'over';
  }

  /** Ends the attempt with the outcome `refused`, for example when it could not be signed. */
  refuse(error: unknown): void {
    this.#settle({ kind: 'refused', attempt: this.attempt, times: this.#times(), error: fromUnknown(error) });
    this.release();
  }

  /** An error was thrown by code that reads or consumes the response. It ends this attempt only. */
  crashed(thrown: unknown): void {
    if (this.state === 'flowing' || this.state === 'closing') this.body?.close({ kind: 'fault', error: fromUnknown(thrown) });
    else this.refuse(thrown);
  }

  /** The client disconnected, or the gateway is stopping. */
  abort(): void {
    if (this.state === 'over') return;
    this.#settle({ kind: 'cancelled', attempt: this.attempt, times: this.#times() });
    this.release();
  }

  #failWithoutResponse(error: Error, isUnread: boolean): void {
    const code = errorCode(error);
    // The egress rules forbid the address that the host name resolves to.
    if (error instanceof GatewayError && this.transfer === 'relay') this.refuse(error);
    else if (isConnectTimeout(code)) this.#timeout('connect');
    else if (isInvalidHttp(error, code)) this.rejectResponse(invalidResponse("The provider's response is not valid HTTP."));
    else if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'UPSTREAM_HEAD_TOO_LARGE')
      this.rejectResponse(invalidResponse("The provider's headers are too large."));
    else {
      const unreachable = { kind: 'unreachable', attempt: this.attempt, times: this.#times(), cause: error } as const;
      this.#settle(isUnread ? { ...unreachable, sent: false, isUnread } : { ...unreachable, sent: this.#isSent });
      this.release();
    }
  }

  /** True if the provider may have read some of the request. */
  get #isSent(): boolean {
    return this.sentAt !== undefined || this.upload?.hasStarted === true;
  }

  get isStreamRequested(): boolean {
    return this.attempt.call?.stream === true;
  }

  sweep(now: number): void {
    if (this.state === 'closing') {
      if (this.body !== undefined && now - this.body.closingAt > closingMs) this.body.close({ kind: 'whole' });
      return;
    }
    if (this.transfer !== undefined) {
      this.#sweepTransfer(now);
      return;
    }
    if (isStillSending(this, this.#source?.unsent?.() ?? 0)) this.sentAt = now;
    const phase = expiredTimeout(this, now);
    if (phase === undefined) {
      if (isClientNotReading(this, now)) this.body?.close({ kind: 'fault', error: clientNotReading() });
      return;
    }
    if (this.state === 'flowing') this.body?.close({ kind: 'fault', error: timeoutFault(phase, limitOf(this.timeouts, phase)) });
    else this.#timeout(phase);
  }

  #sweepTransfer(now: number): void {
    const who = silentSide(this, now);
    if (who === undefined) return;
    if (who === 'upload') this.refuse(clientNotSending(this.timeouts.idle));
    else if (who === 'client') this.body?.close({ kind: 'fault', error: clientNotReading() });
    else if (this.state === 'flowing') this.body?.close({ kind: 'fault', error: timeoutFault('idle', this.timeouts.idle) });
    else this.#timeout(who === 'connect' ? 'connect' : 'idle');
  }

  #timeout(phase: TimeoutPhase): void {
    const afterMs = limitOf(this.timeouts, phase);
    this.#settle({ kind: 'timeout', attempt: this.attempt, times: this.#times(), phase, afterMs, sent: this.#isSent });
    this.release();
  }

  now(): number {
    return this.#settings.monotonic();
  }

  committed(flow: Flow): void {
    this.#answered(none, flow);
  }

  complete(body: Buffer): void {
    this.#answered(body, undefined);
    this.#end();
  }

  rejectResponse(fault: GatewayError): void {
    this.#settle({ kind: 'faulty', attempt: this.attempt, times: this.#times(), fault, tap: this.tap });
    this.release();
  }

  release(): void {
    if (this.state === 'over') return;
    this.state = 'over';
    this.#source?.abort();
    this.#end();
  }

  pauseSource(): void {
    this.#source?.pause();
  }

  resumeSource(): void {
    this.#source?.resume();
  }

  #answered(body: Buffer, flow: Flow | undefined): void {
    const { attempt, status, headers, tap } = this;
    const reply = { status, headers, body, flow, tap };
    // The response to HEAD keeps the headers of the body that GET would return.
    const isVerbatim = this.body instanceof FileBody && (flow !== undefined || this.attempt.upstream?.method === 'HEAD');
    this.#settle({ kind: 'answered', attempt, times: this.#times(), reply: isVerbatim ? { ...reply, isVerbatim } : reply });
  }

  #settle(outcome: Outcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#settings.settle(outcome);
  }

  #times(): Times {
    const { startedAt, connectedAt, firstAt } = this;
    return {
      at: startedAt - this.#settings.arrivedAt,
      connectMs: connectedAt === undefined ? undefined : connectedAt - startedAt,
      firstByteMs: firstAt === undefined ? undefined : firstAt - startedAt,
      totalMs: this.now() - startedAt,
    };
  }
}
