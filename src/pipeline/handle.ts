import type { IncomingRequest, PendingBody, RequestBody } from '../core/http/request.ts';
import type { Client } from '../core/http/client.ts';
import type { Dialect } from '../core/dialect.ts';
import { dialectOf } from '../core/endpoint.ts';
import { type ErrorCode, fromUnknown, GatewayError } from '../core/error.ts';
import type { Flow, Reply } from '../core/plan.ts';
import type { LogRecord } from '../core/records/record.ts';
import type { DenseSetMember } from '../core/memory/dense-set.ts';
import type { Lease } from '../core/snapshot.ts';
import { isFinalStatus } from '../core/http/status.ts';
import { errorFacts, faultFacts, forwardedErrorText, stoppedError } from './response/errors.ts';
import { type Final, finalOf, replyOf } from './response/final.ts';
import { Execution } from './execute.ts';
import { formToBuffer, bufferForm } from './form-buffering.ts';
import type { HandleDeps } from './handle-deps.ts';
import type { Chain } from './chain.ts';
import { completeHeaders, type ReplyFacts } from './response/headers.ts';
import { keepResponse } from './response/keep.ts';
import { eventFacts, lastPiece } from './response/last-event.ts';
import { sendPlainError, plainError, recordOf } from './response/last-resort.ts';
import { withProvider } from './response/named-provider.ts';
import { settle } from './record/draft.ts';
import type { Ending } from './record/messages.ts';
import { RequestContext } from './request.ts';
import { allowsBody, isEventStream, overheadMs, recordedError, recordedFault, upstreamMs } from './record/facts.ts';
import type { KeyInFlight } from './in-flight.ts';
import type { Generation } from './generation.ts';

/** Milliseconds within which a cancelled run must return, so that its attempt is recorded. */
const cancelMs = 1000;

/** Handles one request from its head to its record. Lives as long as the exchange with the client. */
export class Handling implements DenseSetMember {
  index: number | undefined;
  readonly id: string;
  readonly #ctx: RequestContext;
  readonly #generation: Generation;
  readonly #chain: Chain;
  readonly #lease: Lease<Generation>;
  readonly #client: Client;
  readonly #deps: HandleDeps;
  readonly #body: PendingBody;
  readonly #refusal: GatewayError | undefined;
  readonly #dialect: Dialect;
  #inFlight: KeyInFlight | undefined;
  #run: Execution | undefined;
  #flow: Flow | undefined;
  /** Size in bytes of a whole response. It is held in memory until the client has received it. */
  #responseSize = 0;
  #bytesOut = 0;
  #overheadMs = 0;
  #firstEventMs: number | null = null;
  /** Body of a response that no provider sent. */
  #gatewayBody: Buffer | undefined;
  #final: Final | undefined;
  #status = 0;
  #recorded = false;
  #isTrying = false;
  // Defined as fields, not inline where they are assigned: V8 would allocate an inline function in the old generation,
  // and the function would keep the whole request alive until the next full garbage collection.
  readonly #onDisconnect = (): void => this.#guarded(() => this.#disconnected());
  readonly #onDrain = (): void => this.#guarded(() => this.#flow?.resume());
  readonly #onFlushed = (): void => {
    this.#deps.budget.give(this.#responseSize);
    this.#deps.onReleased(this);
  };
  readonly #onAdmitted = (): void => this.#admitted();
  readonly #onRefused = (thrown: unknown): void => this.#failed(thrown);
  readonly #onBody = (body: RequestBody | GatewayError): void => {
    this.#deps.enter(this.#ctx.id);
    void this.#proceed(body);
  };
  #isStopped = false;
  #isHeadSent = false;

  constructor({ arrival, client, body, refusal }: IncomingRequest, lease: Lease<Generation>, deps: HandleDeps) {
    this.id = arrival.id;
    this.#body = body;
    this.#refusal = refusal;
    this.#lease = lease;
    this.#generation = lease.value;
    this.#chain = lease.value.chains.chainFor(arrival.endpoint);
    this.#ctx = new RequestContext(arrival, lease.value.snapshot, deps.budget, deps.mode);
    this.#client = client;
    this.#deps = deps;
    this.#dialect = deps.dialects[dialectOf(arrival)];
    client.onDisconnect = this.#onDisconnect;
  }

  /** True when part of the response is sent and more will follow. */
  get isStreaming(): boolean {
    return this.#flow !== undefined && this.#isHeadSent;
  }

  /** Identifies the caller from the request head. The body is read only after that. */
  start(): void {
    this.#deps.enter(this.#ctx.id);
    try {
      if (this.#refusal !== undefined) throw this.#refusal;
      const admission = this.#chain.admit(this.#ctx);
      if (admission === undefined) this.#admitted();
      else void admission.then(this.#onAdmitted).catch(this.#onRefused);
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  #admitted(): void {
    if (this.#recorded) return;
    const { key } = this.#ctx.facts.caller;
    if (key !== undefined) {
      const limit = Math.min(this.#ctx.snapshot.server.maxInFlightPerKey, key.limits?.concurrency ?? Infinity);
      const share = this.#deps.inFlightLimiter.take(key, limit);
      if (share instanceof Promise) {
        void share.then(this.#onCounted).catch(this.#onRefused);
        return;
      }
      this.#inFlight = share;
    }
    this.#body.read(this.#onBody);
  }

  readonly #onCounted = (share: KeyInFlight): void => {
    // The request ended in the meantime: the client disconnected, or the gateway is stopping.
    if (this.#recorded) share.count -= 1;
    else {
      this.#inFlight = share;
      this.#body.read(this.#onBody);
    }
  };

  async #proceed(body: RequestBody | GatewayError): Promise<void> {
    if (this.#recorded) return;
    try {
      if (body instanceof GatewayError) throw body;
      const { isolation, maskBytes: mask } = this.#generation;
      const chain = this.#chain;
      this.#ctx.receive(body);
      const unread = formToBuffer(this.#ctx, undefined);
      if (unread !== undefined) await bufferForm(this.#ctx, unread);
      const planned = chain.plan(this.#ctx);
      const plan = planned instanceof Promise ? await planned : planned;
      // The request ended in the meantime: the client disconnected, or the gateway is stopping.
      if (this.#recorded) return;
      if ('answer' in plan) {
        // The texts of a prompt may contain secrets from the configuration file. Only providers may receive those.
        const { body: own } = plan.answer;
        this.#deliver(own === undefined ? plan.answer : { ...plan.answer, body: mask(own) });
        return;
      }
      this.#ctx.plan = plan;
      const repeatable = formToBuffer(this.#ctx, this.#ctx.plan);
      if (repeatable !== undefined) await bufferForm(this.#ctx, repeatable);
      if (this.#recorded) return;
      const { send, monotonic, schedule } = this.#deps;
      const reply = (run: Execution): Reply => this.#replyOf(finalOf(run, this.#dialect));
      this.#run = new Execution(this.#ctx, { chain, send, monotonic, schedule, isolation, mask, dialect: this.#dialect, reply });
      this.#isTrying = true;
      const finalReply = await this.#run.run();
      this.#isTrying = false;
      if (this.#recorded) return;
      if (finalReply !== undefined && !this.#client.isDisconnected) this.#deliver(finalReply);
      else if (this.#client.isDisconnected || !this.#isStopped) this.#disconnected();
    } catch (thrown) {
      this.#isTrying = false;
      if (this.#client.isDisconnected) this.#onDisconnect();
      else this.#failed(thrown);
    }
  }

  /** Handles an error that work started for this request threw without a caller to catch it. A streaming response is owned by its flow. */
  crashed(thrown: unknown): void {
    if (this.#recorded || this.#isHeadSent) {
      this.#deps.onDefect(thrown, this.#ctx.id);
      return;
    }
    this.#failed(thrown);
    this.#run?.cancel();
  }

  /**
   * Ends the request, by default because the gateway stops and the grace period is over. A streaming response ends with an error
   * event. A request without a response fails one turn later, so that the aborted attempt is added to the history first.
   */
  stop(error = stoppedError(), end: 'fault' | 'drained' = 'drained'): void {
    if (this.#recorded) return;
    this.#isStopped = true;
    this.#guarded(() => {
      this.#flow?.abort();
      this.#run?.cancel();
    });
    if (this.#status === 0) setImmediate(() => this.#failed(error, end));
    else this.#failed(error, end);
  }

  #replyOf(final: Final): Reply {
    this.#final = final;
    if (final.kind === 'error') this.#noteDefect(final.error);
    const facts = errorFacts(this.#ctx.id, this.#run, this.#ctx.snapshot.server.exposeRouting);
    return replyOf(final, this.#generation.maskBytes, this.#dialect, facts);
  }

  /** Sends the reply of the chain, as a whole body or as a stream. */
  #deliver(reply: Reply, faultEnd: 'fault' | 'drained' = 'fault'): void {
    if (!isFinalStatus(reply.status) && reply.flow?.socket === undefined)
      throw new Error(`a reply with the status ${String(reply.status)}`);
    const error = this.#final?.kind === 'error' ? this.#final.error : undefined;
    const isFault = error !== undefined || reply.status >= 400;
    this.#complete(reply, isFault ? faultFacts(error, reply.status, this.#run?.last) : undefined);
    if (reply.flow !== undefined) {
      this.#stream(reply, reply.flow);
      return;
    }
    const body = reply.body ?? Buffer.alloc(0);
    this.#deps.budget.add(body.length - this.#responseSize);
    this.#responseSize = body.length;
    this.#bytesOut = this.#ctx.method === 'HEAD' ? 0 : body.length;
    this.#status = reply.status;
    if (!isFault) keepResponse(this.#run?.last, this.#deps, this.id);
    const errorRecord = isFault ? recordedFault(error, forwardedErrorText(this.#run?.last, reply.status)) : null;
    if (this.#run?.last?.kind !== 'answered') this.#gatewayBody = body;
    // HEAD: the provider's Content-Length gives the size of the body that GET would return.
    if (allowsBody(reply.status) && !(this.#final?.kind === 'pass' && this.#final.reply.isVerbatim))
      reply.headers.push('content-length', body.length.toString());
    // Before the record is made, so that a head that cannot be written becomes an error that is recorded.
    this.#head(reply);
    this.#finish(isFault ? faultEnd : 'whole', errorRecord, () => this.#client.end(allowsBody(reply.status) ? body : undefined));
  }

  #head(reply: Reply, isImmediate = false): void {
    this.#client.head(reply.status, reply.headers, isImmediate);
    this.#isHeadSent = true;
  }

  #stream(reply: Reply, flow: Flow): void {
    this.#flow = flow;
    this.#status = reply.status;
    this.#client.onDrain = this.#onDrain;
    // The head is sent together with the first bytes. Until then, a fault becomes an error response that the client can read.
    if (flow.isBegun === true) this.#head(reply, true);
    if (flow.socket !== undefined) this.#deps.onSocket?.(this, this.#ctx);
    flow.into({
      data: (bytes) => {
        if (!this.#isHeadSent && bytes.length > 0) this.#head(reply);
        this.#bytesOut += bytes.length;
        if (!this.#client.write(bytes)) flow.pause();
      },
      end: (tail) => this.#guarded(() => this.#flowEnded(reply, tail)),
      fault: (error, finalBytes) => {
        this.#reportEnd(error);
        this.#failed(error, 'fault', finalBytes);
      },
    });
  }

  #flowEnded(reply: Reply, tail: Buffer): void {
    if (!this.#isHeadSent) this.#head(reply);
    const { fault, bytes } = lastPiece(tail, this.#run?.last, this.#dialect, this.id);
    const masked = fault === undefined ? bytes : this.#generation.maskBytes(bytes);
    this.#bytesOut += masked.length;
    this.#reportEnd(fault);
    this.#finish(fault === undefined ? 'whole' : 'fault', fault === undefined ? null : recordedError(fault), () =>
      this.#client.end(masked),
    );
  }

  /** Reports to the plugins how a streamed response ended. */
  #reportEnd(fault: GatewayError | undefined): void {
    const last = this.#run?.last;
    if (this.#recorded || last?.kind !== 'answered') return;
    this.#chain.finish(this.#ctx, last, fault, (error) => this.#deps.onDefect(error, this.#ctx.id));
    if (fault === undefined) keepResponse(last, this.#deps, this.id);
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  /**
   * Every error thrown while this request is handled ends here. A response that has begun gets a last error event or is
   * cut; otherwise the client gets an error response. Never throws.
   */
  #failed(thrown: unknown, end: 'fault' | 'drained' = 'fault', finalBytes?: Buffer): void {
    try {
      const { last } = this.#run ?? {};
      if (!this.#isHeadSent && last?.kind === 'answered') last.reply.flow?.abort();
      const error = withProvider(last?.attempt, fromUnknown(thrown));
      if (this.#isHeadSent) this.#breakStream(error, end, finalBytes);
      else this.#sendError(error, end);
    } catch (secondError) {
      this.#failPlainly(secondError);
    }
  }

  /** Ends the request in the most basic way, because even the error response could not be made. */
  #failPlainly(thrown: unknown): void {
    this.#deps.onDefect(thrown, this.#ctx.id);
    if (!this.#isHeadSent) this.#status = 500;
    this.#finish('fault', plainError, () => sendPlainError(this.#client, this.id, this.#isHeadSent));
  }

  #noteDefect(error: GatewayError): void {
    if (error.code === ('internal' satisfies ErrorCode)) this.#deps.onDefect(error.cause ?? error, this.#ctx.id);
  }

  /** The response has begun and cannot be completed: send an error event, or cut a body whose format has no error event. */
  #breakStream(error: GatewayError, end: LogRecord['end'], finalBytes?: Buffer): void {
    if (this.#recorded) return;
    this.#noteDefect(error);
    const last = this.#run?.last;
    const hasEventFormat = last?.kind === 'answered' && last.reply.isVerbatim !== true && isEventStream(last.reply);
    const defaultEvent = finalBytes ?? this.#dialect.errorEvent(error, eventFacts(this.#ctx.id, last));
    const event = this.#flow?.closeFrame ?? (hasEventFormat ? this.#generation.maskBytes(defaultEvent) : undefined);
    this.#bytesOut += event?.length ?? 0;
    this.#finish(end, recordedError(error), () => {
      if (event === undefined) this.#client.destroy();
      else this.#client.end(event);
    });
  }

  #sendError(error: GatewayError, end: 'fault' | 'drained'): void {
    if (this.#recorded) return;
    this.#deliver(this.#replyOf({ kind: 'error', error }), end);
  }

  #disconnected(): void {
    if (this.#recorded) return;
    this.#run?.cancel();
    // The cancelled run returns soon, and its attempt is then in the history. A plugin may never return.
    if (this.#isTrying) {
      this.#isTrying = false;
      setTimeout(this.#onDisconnect, cancelMs);
      return;
    }
    this.#flow?.abort();
    this.#finish('client_gone', null, () => this.#client.destroy());
  }

  #complete(reply: Reply, error: ReplyFacts['error']): void {
    const elapsed = this.#deps.monotonic() - this.#ctx.arrivedAt;
    // An error has no first token: counted as one, a provider that fails at once would look fast.
    this.#firstEventMs = reply.status < 400 ? elapsed : null;
    this.#overheadMs = overheadMs(elapsed, this.#run);
    const times = { overheadMs: this.#overheadMs, upstreamMs: upstreamMs(this.#run) };
    completeHeaders(this.#ctx, this.#run, reply, { last: this.#run?.last, error, idHeader: this.#dialect.idHeader, ...times });
  }

  /** Runs once per request: makes the record, has it written, and then sends the end of the response. */
  #finish(end: LogRecord['end'], error: LogRecord['error'], sendEnd: () => void): void {
    if (this.#recorded) return;
    this.#recorded = true;
    if (this.#inFlight !== undefined) this.#inFlight.count -= 1;
    const ending: Ending = {
      status: this.#status === 0 && end === 'client_gone' ? 499 : this.#status,
      end,
      error,
      bytesIn: 'received' in this.#ctx.received ? this.#ctx.received.received : this.#body.received,
      bytesOut: this.#bytesOut,
      totalMs: this.#deps.monotonic() - this.#ctx.arrivedAt,
      firstEventMs: this.#firstEventMs,
      overheadMs: this.#overheadMs,
      kept: this.#flow?.kept,
      socket: this.#flow?.socket,
      gatewayBody: this.#gatewayBody,
    };
    const finished = recordOf(this.#ctx, this.#run, ending, this.#deps);
    settle(this.#ctx, finished.record, this.#chain, (error) => this.#deps.onDefect(error, this.#ctx.id));
    this.#deps.commit.add(finished, () => this.#release(finished.record, sendEnd));
  }

  /** The record is written: sends the end of the response and releases everything that the request held. */
  #release(record: LogRecord, sendEnd: () => void): void {
    const { onDefect, onFinished, mode } = this.#deps;
    try {
      sendEnd();
    } catch (thrown) {
      onDefect(thrown, this.#ctx.id);
      this.#client.destroy();
    }
    if (mode !== 'dry') this.#chain.record(record, (error) => onDefect(error, this.#ctx.id));
    this.#lease.release();
    // Release this memory now, even if the client is slow to read the last bytes.
    this.#run = undefined;
    this.#flow = undefined;
    this.#ctx.releaseBody();
    this.#body.drop();
    if (this.#client.isDisconnected) this.#onFlushed();
    else this.#client.onFlushed = this.#onFlushed;
    onFinished(record);
  }
}
