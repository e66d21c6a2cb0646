import type { Incoming, PendingBody } from '../core/arrival.ts';
import type { RequestBody } from '../core/body.ts';
import type { Client } from '../core/client.ts';
import type { Dialect } from '../core/dialect.ts';
import { dialectOf, type EndpointTraits } from '../core/endpoint.ts';
import { type ErrorCode, fromUnknown, GatewayError } from '../core/error.ts';
import type { HeaderPairs } from '../core/headers.ts';
import type { Pass, PassResult } from '../core/pass.ts';
import type { Attempt, Flow, Reply, Send, UpstreamReply } from '../core/plan.ts';
import type { LogRecord } from '../core/record.ts';
import type { Enrolled } from '../core/roll.ts';
import type { Lease } from '../core/snapshot.ts';
import { type Final, finalOf, replyOf } from './answer.ts';
import { answerFromCatalog } from './catalog.ts';
import { errorFacts } from './errors.ts';
import { Execution } from './execute.ts';
import { formToHold, hold } from './forms.ts';
import { completeHeaders } from './headers.ts';
import { passThrough } from './passing.ts';
import { isPromptRoute, refusePrompts, startPrompt } from './prompt.ts';
import { makeRecord } from './record.ts';
import { RequestContext } from './request.ts';
import type { Seal } from './seal.ts';
import type { Share, Shares } from './shares.ts';
import type { World } from './world.ts';

export interface HandleDeps {
  readonly send: Send;
  readonly seal: Seal;
  readonly shares: Shares;
  readonly dialects: Readonly<Record<EndpointTraits['dialect'], Dialect>>;
  monotonic(): number;
  /** A defect of the gateway or of a plugin: shown to operators with its stack, never to callers. */
  onDefect(error: unknown, requestId: string): void;
  /** Told when an answer repeats the credential of its attempt, each time. */
  onEcho(attempt: Attempt): void;
  /** The request is over: its record is written and its end has left. */
  onOver(record: LogRecord): void;
  /** Nothing of it is left in this process: a slow client has taken the last byte, or is gone. */
  onLeft(handling: Handling): void;
}

/** One request from its head to its record. Lives as long as the exchange with the client. */
export class Handling implements Enrolled {
  place: number | undefined;
  readonly #ctx: RequestContext;
  readonly #world: World;
  readonly #lease: Lease<World>;
  readonly #client: Client;
  readonly #deps: HandleDeps;
  readonly #body: PendingBody;
  readonly #pass: Pass | undefined;
  readonly #refusal: GatewayError | undefined;
  readonly #dialect: Dialect;
  #share: Share | undefined;
  #run: Execution | undefined;
  #flow: Flow | undefined;
  #bytesOut = 0;
  #bytesIn = 0;
  #overheadMs = 0;
  #firstEventMs: number | null = null;
  /** An answer that no provider gave. */
  #own: Buffer | undefined;
  #status = 0;
  #recorded = false;
  #isTrying = false;
  #isPassing = false;
  // Not where they are assigned: V8 makes a function that is written there in the old generation, and the whole request
  // would stay with it until the next full collection.
  readonly #onGone = (): void => this.#gone();
  readonly #onDrain = (): void => this.#flow?.resume();
  readonly #onLeft = (): void => this.#deps.onLeft(this);
  readonly #onAdmitted = (): void => {
    if (!this.#recorded) this.#admitted();
  };
  readonly #onRefused = (thrown: unknown): void => this.#refuse(thrown);
  readonly #onBody = (body: RequestBody | GatewayError): void => void this.#proceed(body);
  #isStopped = false;

  constructor({ arrival, client, body, pass, refusal }: Incoming, lease: Lease<World>, deps: HandleDeps) {
    this.#body = body;
    this.#pass = pass;
    this.#refusal = refusal;
    this.#lease = lease;
    this.#world = lease.value;
    this.#ctx = new RequestContext(arrival, lease.value.snapshot);
    this.#client = client;
    this.#deps = deps;
    this.#dialect = deps.dialects[dialectOf(arrival.endpoint, arrival.path)];
    client.onGone = this.#onGone;
  }

  get id(): string {
    return this.#ctx.id;
  }

  /** Decides by the head who calls; only then the body is read. */
  start(): void {
    try {
      if (this.#refusal !== undefined) throw this.#refusal;
      const admission = this.#world.chain.admit(this.#ctx);
      if (admission === undefined) this.#admitted();
      else void admission.then(this.#onAdmitted).catch(this.#onRefused);
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  #admitted(): void {
    const { caller } = this.#ctx.facts;
    if (caller.key !== undefined) this.#share = this.#deps.shares.take(caller.name, this.#ctx.snapshot.server.maxInFlightPerKey);
    this.#body.read(this.#onBody);
  }

  async #proceed(body: RequestBody | GatewayError): Promise<void> {
    if (this.#recorded) return;
    try {
      if (body instanceof GatewayError) throw body;
      const { chain } = this.#world;
      this.#ctx.receive(body);
      const rendered = isPromptRoute(this.#ctx.endpoint) ? startPrompt(this.#ctx) : undefined;
      if (rendered !== undefined) {
        // The file may have put secrets into the texts: nobody but the provider sees them.
        this.#deliver({ ...rendered, body: this.#world.maskBytes(rendered.body) });
        return;
      }
      const unread = formToHold(this.#ctx, undefined);
      if (unread !== undefined) await hold(this.#ctx, unread);
      const plan = await chain.plan(this.#ctx);
      if (this.#ctx.facts.config?.hasPrompts === true) refusePrompts(this.#ctx);
      const listed = answerFromCatalog(this.#ctx, plan);
      if (listed !== undefined) {
        this.#deliver(listed);
        return;
      }
      if (plan === undefined)
        throw new GatewayError('no_target', { message: 'No plugin of the chain made a plan.', hint: 'The chain needs "routing".' });
      const repeatable = formToHold(this.#ctx, plan);
      if (repeatable !== undefined) await hold(this.#ctx, repeatable);
      this.#ctx.plan = plan;
      const { send, monotonic } = this.#deps;
      const { isolation, maskBytes: mask } = this.#world;
      const reply = (run: Execution): Reply => this.#reply(run);
      this.#run = new Execution(this.#ctx, { chain, send, monotonic, isolation, mask, dialect: this.#dialect, reply });
      if (this.#pass !== undefined) {
        await this.#passThrough(this.#run, this.#pass);
        return;
      }
      this.#isTrying = true;
      const answer = await this.#run.run();
      this.#isTrying = false;
      if (answer !== undefined && !this.#client.isGone) this.#deliver(answer);
      else if (this.#client.isGone || !this.#isStopped) this.#gone();
    } catch (thrown) {
      this.#isTrying = false;
      if (this.#client.isGone) this.#gone();
      else this.#refuse(thrown);
    }
  }

  /**
   * The gateway stops and the grace period is over: a running answer ends with an error event, a waiting one is refused
   * one turn later, so that the attempt that is cut off joins the history first.
   */
  stop(): void {
    if (this.#recorded) return;
    const error = new GatewayError('draining', { message: 'The gateway was stopped before the answer was finished.' });
    this.#isStopped = true;
    this.#flow?.abort();
    this.#run?.cancel();
    if (this.#status === 0) setImmediate(() => this.#refuse(error, 'drained'));
    else this.#break(error, 'drained');
  }

  async #passThrough(run: Execution, pass: Pass): Promise<void> {
    this.#isPassing = true;
    const outcome = await passThrough(run, {
      pass,
      monotonic: this.#deps.monotonic,
      onEcho: this.#deps.onEcho,
      headers: () => this.#headPassed(run),
      finish: (result) => this.#endPassed(result),
    });
    this.#isPassing = false;
    if (outcome === undefined || this.#recorded) return;
    if (outcome.kind === 'cancelled' || this.#client.isGone) this.#gone();
    else this.#deliver(this.#reply(run));
  }

  /** The provider's head of a passing answer is there: ours go beside it. */
  #headPassed(run: Execution): HeaderPairs {
    const last = run.last;
    const status = last?.kind === 'answered' ? last.reply.status : 502;
    const reply: Reply = { status, headers: [], body: undefined, flow: undefined };
    this.#status = status;
    this.#measure();
    const error = status >= 400 ? { source: 'provider' as const, own: false } : undefined;
    completeHeaders(this.#ctx, run, reply, {
      last,
      error,
      idHeader: this.#dialect.idHeader,
      overheadMs: this.#overheadMs,
      upstreamMs: this.#upstreamMs(),
    });
    return reply.headers;
  }

  /** The last bytes of a passing answer wait for this. */
  #endPassed(result: PassResult): Promise<void> {
    this.#bytesOut = result.bytesOut;
    this.#bytesIn = result.bytesIn;
    const { error } = result;
    const said = error === undefined ? null : { code: error.code, source: error.source, message: error.message };
    const failed = result.kind === 'whole' ? this.#status >= 400 : true;
    const end = result.kind === 'client_gone' ? 'client_gone' : failed ? 'fault' : 'whole';
    const fallback = end === 'fault' ? { code: 'provider_error', source: 'provider' as const, message: `status ${this.#status}` } : null;
    return new Promise((resolve) => this.#finish(end, said ?? fallback, resolve));
  }

  #reply(run: Execution): Reply {
    const outcome = run.last;
    if (outcome === undefined) throw new Error('a reply without an attempt');
    const final = finalOf(run, outcome);
    this.#final = final;
    const facts = errorFacts(this.#ctx.id, run, this.#ctx.snapshot.server.exposeRouting);
    return replyOf(final, this.#world.maskBytes, this.#dialect, facts);
  }

  #final: Final | undefined;

  /** Sends an answer of the chain, whole or as it comes. */
  #deliver(reply: Reply, faultEnd: 'fault' | 'drained' = 'fault'): void {
    const { last } = this.#run ?? {};
    const error = this.#final?.kind === 'error' ? this.#final.error : undefined;
    const isFault = error !== undefined || reply.status >= 400;
    this.#measure();
    completeHeaders(this.#ctx, this.#run, reply, {
      last,
      error: isFault ? { source: error?.source ?? 'provider', own: error !== undefined, code: error?.code } : undefined,
      idHeader: this.#dialect.idHeader,
      overheadMs: this.#overheadMs,
      upstreamMs: this.#upstreamMs(),
    });
    if (reply.flow !== undefined) {
      this.#stream(reply, reply.flow);
      return;
    }
    const body = reply.body ?? Buffer.alloc(0);
    this.#bytesOut = body.length;
    this.#status = reply.status;
    const said = isFault
      ? {
          code: error?.code ?? 'provider_error',
          source: error?.source ?? ('provider' as const),
          message: error?.message ?? `status ${reply.status}`,
        }
      : null;
    if (last?.kind !== 'answered') this.#own = body;
    this.#finish(isFault ? faultEnd : 'whole', said, () => {
      if (bodyAllowed(reply.status)) reply.headers.push('content-length', body.length.toString());
      this.#client.head(reply.status, reply.headers);
      this.#client.end(bodyAllowed(reply.status) ? body : undefined);
    });
  }

  #stream(reply: Reply, flow: Flow): void {
    const client = this.#client;
    this.#flow = flow;
    this.#status = reply.status;
    client.head(reply.status, reply.headers);
    client.onDrain = this.#onDrain;
    flow.into({
      data: (bytes) => {
        this.#bytesOut += bytes.length;
        if (!client.write(bytes)) flow.pause();
      },
      end: (tail) => {
        this.#bytesOut += tail.length;
        const fault = this.#run?.last?.kind === 'answered' ? this.#run.last.reply.tap?.fault : undefined;
        const said = fault === undefined ? null : { code: 'provider_error', source: 'provider' as const, message: fault.message };
        this.#finish(fault === undefined ? 'whole' : 'fault', said, () => client.end(tail));
      },
      fault: (error, lastWords) => this.#break(error, 'fault', lastWords),
    });
  }

  /** The answer has begun and can't be finished: say so in the stream, or cut a body that has no way to say it. */
  #break(error: GatewayError, end: LogRecord['end'], lastWords?: Buffer): void {
    const framed = this.#run?.last?.kind === 'answered' && isEventStream(this.#run.last.reply);
    const said = { code: error.code, source: error.source, message: error.message };
    const words = lastWords ?? this.#dialect.errorEvent(error, errorFacts(this.#ctx.id, undefined, false));
    const event = framed ? this.#world.maskBytes(words) : undefined;
    this.#bytesOut += event?.length ?? 0;
    this.#finish(end, said, () => {
      if (event === undefined) this.#client.destroy();
      else this.#client.end(event);
    });
  }

  #refuse(thrown: unknown, end: 'fault' | 'drained' = 'fault'): void {
    if (this.#recorded) return;
    const error = fromUnknown(thrown);
    if (error.code === ('internal' satisfies ErrorCode)) this.#deps.onDefect(error.cause ?? error, this.#ctx.id);
    this.#final = { kind: 'error', error };
    const facts = errorFacts(this.#ctx.id, this.#run, this.#ctx.snapshot.server.exposeRouting);
    this.#deliver(replyOf(this.#final, this.#world.maskBytes, this.#dialect, facts), end);
  }

  #gone(): void {
    if (this.#recorded) return;
    this.#run?.cancel();
    // The relay sees the same and ends the attempt with its counts.
    if (this.#isPassing) return;
    // The attempt that is cut off joins the history first: the run comes back at once, with nothing.
    if (this.#isTrying) return;
    this.#flow?.abort();
    this.#finish('client_gone', null, () => this.#client.destroy());
  }

  #measure(): void {
    const elapsed = this.#deps.monotonic() - this.#ctx.arrivedAt;
    this.#firstEventMs = elapsed;
    this.#overheadMs = Math.max(0, Math.round((elapsed - this.#upstreamMs() - (this.#run?.waitedMs ?? 0)) * 1000) / 1000);
  }

  #upstreamMs(): number {
    let sum = 0;
    for (const outcome of this.#run?.history ?? []) sum += outcome.times.totalMs;
    return sum;
  }

  /** Once: makes the record, has it written, and then lets the end go out. */
  #finish(end: LogRecord['end'], error: LogRecord['error'], letGo: () => void): void {
    if (this.#recorded) return;
    this.#recorded = true;
    if (this.#share !== undefined) this.#share.count -= 1;
    this.#body.drop();
    const sealed = makeRecord(this.#ctx, this.#run, {
      status: this.#status === 0 && end === 'client_gone' ? 499 : this.#status,
      end,
      error,
      bytesIn: this.#ctx.received.kind === 'form' ? this.#ctx.received.received : this.#bytesIn,
      bytesOut: this.#bytesOut,
      totalMs: this.#deps.monotonic() - this.#ctx.arrivedAt,
      firstEventMs: this.#firstEventMs,
      overheadMs: this.#overheadMs,
      kept: this.#flow?.kept,
      own: this.#own,
    });
    this.#deps.seal.add(sealed, () => {
      letGo();
      this.#world.chain.record(sealed.record, (plugin, cause) =>
        this.#deps.onDefect(new Error(`plugin "${plugin}" threw in record`, { cause }), this.#ctx.id),
      );
      this.#lease.release();
      this.#deps.onOver(sealed.record);
      if (this.#isPassing || this.#client.isGone) this.#deps.onLeft(this);
      else this.#client.onLeft = this.#onLeft;
    });
  }
}

function isEventStream({ headers, converted }: UpstreamReply): boolean {
  return (converted?.contentType ?? headers['content-type'])?.toLowerCase().startsWith('text/event-stream') === true;
}

function bodyAllowed(status: number): boolean {
  return status !== 204 && status !== 304;
}
