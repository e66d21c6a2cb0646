import { fromUnknown, GatewayError } from '../core/error.ts';
import type { Attempt, Flow, FlowConsumer, Outcome, Times, TimeoutPhase, UpstreamReply } from '../core/plan.ts';
import type { Clocks } from '../core/snapshot.ts';
import type { Tap } from '../core/tap.ts';
import { Keeper } from './keep.ts';
import { type Scanned, type ScannedEvent, SseScanner } from './framing/sse.ts';
import type { Swept } from './sweeper.ts';
import type { Receiver, Source } from './upstream.ts';
import { decompress, endsLikeJson, faultOfWhole, invalid, wholeLimit } from './whole.ts';

/** Events without content are held back up to this many bytes, then the attempt is committed all the same. */
const holdLimit = 64 * 1024;
/** One event may be several megabytes (streamed images); beyond this it is a fault. */
const eventLimit = 32 * 1024 * 1024;
/** After the end mark the provider has this long to close its side. */
const closingMs = 1000;

const none: Buffer = Buffer.alloc(0);
const noScan: Scanned = { bytes: none, events: [] };

/** What an exchange needs from outside. */
export interface ExchangeSettings {
  monotonic(): number;
  /** Bytes of the answer that the record keeps. */
  readonly keep: number;
  /** Monotonic time of the request's arrival. */
  readonly arrivedAt: number;
  settle(outcome: Outcome): void;
  /** Called once when nothing is under way any more. */
  over(exchange: Exchange): void;
}

type State =
  | 'waiting' // no head yet
  | 'whole' // collecting a body
  | 'holding' // a stream before its commit point
  | 'flowing' // committed
  | 'closing' // end mark seen, transport not closed yet
  | 'over';

/**
 * One attempt on the wire: turns what the socket tells into one Outcome, and after the commit point into a Flow.
 * The commit point of a stream is its first event with content; of a whole answer its end (style.md 3.10, decisions D20).
 */
export class Exchange implements Receiver, Flow, Swept {
  readonly kept: Keeper;
  readonly #attempt: Attempt;
  readonly #tap: Tap;
  readonly #clocks: Clocks;
  readonly #settings: ExchangeSettings;
  readonly #at: number;
  #dialAt: number;
  #state: State = 'waiting';
  #settled = false;
  #source: Source | undefined;
  #connectedAt: number | undefined;
  #sentAt: number | undefined;
  #firstAt: number | undefined;
  #lastEventAt = 0;
  #paused = false;
  #closingAt = 0;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  #chunks: Buffer[] = [];
  #length = 0;
  readonly #scanner = new SseScanner();
  #framed = false;
  #consumer: FlowConsumer | undefined;
  /** What came after the commit and before somebody took it, and what is held back at the end. */
  #pending: Scanned[] = [];
  #tail: Scanned = noScan;
  #end: { kind: 'whole' } | { kind: 'fault'; error: GatewayError } | undefined;

  constructor(attempt: Attempt, tap: Tap, settings: ExchangeSettings) {
    this.#attempt = attempt;
    this.#tap = tap;
    this.#clocks = attempt.clocks;
    this.#settings = settings;
    this.#at = settings.monotonic();
    this.#dialAt = this.#at;
    this.kept = new Keeper(settings.keep);
  }

  // ---- the wire ---------------------------------------------------------------------------------

  connected(source: Source): void {
    this.#source = source;
    this.#connectedAt = this.#settings.monotonic();
    if (this.#state === 'over') source.abort();
  }

  sent(): void {
    this.#sentAt = this.#settings.monotonic();
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#state === 'over') return;
    this.#status = status;
    this.#headers = headers;
    const type = headers['content-type']?.toLowerCase() ?? '';
    if (status >= 300 && status < 400) {
      this.#faulty(invalid(`The provider answered a redirect (${status}); redirects are not followed.`));
    } else if (status < 300 && type.startsWith('text/event-stream')) {
      if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
        this.#faulty(invalid('The provider compressed a stream although none was asked for.'));
        return;
      }
      this.#framed = true;
      this.#state = 'holding';
      this.#lastEventAt = this.#settings.monotonic();
    } else {
      this.#state = 'whole';
    }
  }

  data(chunk: Buffer): void {
    if (this.#state === 'over') return;
    const now = this.#settings.monotonic();
    this.#firstAt ??= now;
    this.kept.add(chunk, Math.round(now - this.#settings.arrivedAt));
    if (this.#framed) this.#scanned(this.#scanner.push(chunk), now);
    else if (this.#state === 'flowing') this.#raw(chunk, now);
    else this.#collect(chunk, now);
  }

  finished(): void {
    if (this.#state === 'over') return;
    if (this.#framed) this.#streamEnded();
    else if (this.#state === 'flowing') this.#rawEnded();
    else this.#wholeEnded();
  }

  failed(error: Error): void {
    if (this.#state === 'over') return;
    if (this.#state === 'closing') {
      this.#close({ kind: 'whole' });
    } else if (this.#state === 'flowing') {
      this.#close({ kind: 'fault', error: interrupted(`The provider's connection broke in the middle of the answer (${reason(error)}).`) });
    } else if (this.#state === 'waiting') {
      if (codeOf(error) === 'UND_ERR_CONNECT_TIMEOUT') this.#timeout('connect', this.#clocks.connect);
      else if (error.name === 'HTTPParserError') this.#faulty(invalid("The provider's answer is not valid HTTP."));
      else if (codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW') this.#faulty(invalid("The provider's headers are too large."));
      else this.#unreachable(error);
    } else {
      this.#faulty(invalid(`The provider's connection broke before the answer was whole (${reason(error)}).`));
    }
  }

  /** A token has to be fetched first: nobody is being connected to, and the clock of that doesn't run. */
  signing(): void {
    this.#dialAt = Number.POSITIVE_INFINITY;
  }

  /** The request goes out now. False when it is too late for that. */
  signed(): boolean {
    this.#dialAt = this.#settings.monotonic();
    return this.#state !== 'over';
  }

  #unreachable(cause: Error): void {
    const sent = this.#sentAt !== undefined;
    this.#settle({ kind: 'unreachable', attempt: this.#attempt, times: this.#times(), cause, sent });
    this.#release();
  }

  /** The attempt could not be signed. */
  refuse(error: unknown): void {
    this.#settle({ kind: 'refused', attempt: this.#attempt, times: this.#times(), error: fromUnknown(error) });
    this.#release();
  }

  // ---- clocks -----------------------------------------------------------------------------------

  sweep(now: number): void {
    const since = now - this.#at;
    const clocks = this.#clocks;
    if (this.#state === 'closing') {
      if (now - this.#closingAt > closingMs) this.#close({ kind: 'whole' });
    } else if (since > clocks.total) {
      this.#expire('total', clocks.total);
    } else if (this.#state === 'flowing') {
      if (this.#consumer !== undefined && !this.#paused && now - this.#lastEventAt > clocks.idle) this.#expire('idle', clocks.idle);
    } else if (clocks.request !== undefined && since > clocks.request) {
      this.#expire('request', clocks.request);
    } else if (this.#connectedAt === undefined) {
      if (now - this.#dialAt > clocks.connect) this.#expire('connect', clocks.connect);
    } else if (this.#attempt.call?.stream === true && this.#firstAt === undefined) {
      if (this.#sentAt !== undefined && now - this.#sentAt > clocks.firstByte) this.#expire('first-byte', clocks.firstByte);
    } else if (this.#state === 'holding' && now - this.#lastEventAt > clocks.idle) {
      this.#expire('idle', clocks.idle);
    }
  }

  #expire(phase: TimeoutPhase, afterMs: number): void {
    if (this.#state !== 'flowing') {
      this.#timeout(phase, afterMs);
      return;
    }
    const what = phase === 'idle' ? `sent nothing for ${afterMs} ms` : `did not finish within ${afterMs} ms`;
    const code = phase === 'idle' ? 'idle_timeout' : 'timeout';
    this.#close({ kind: 'fault', error: new GatewayError(code, { message: `The provider ${what}.`, source: 'provider', hint: `Setting: timeouts.${phase}` }) });
  }

  #timeout(phase: TimeoutPhase, afterMs: number): void {
    const sent = this.#sentAt !== undefined;
    this.#settle({ kind: 'timeout', attempt: this.#attempt, times: this.#times(), phase, afterMs, sent });
    this.#release();
  }

  // ---- whole answers ----------------------------------------------------------------------------

  #collect(chunk: Buffer, now: number): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length <= wholeLimit) return;
    // An answer that is converted can't flow: it is read as one text (images make it large).
    const isConverted = this.#attempt.lane === 'full' && this.#status < 300;
    if (isConverted || this.#status >= 300 || this.#headers['content-encoding'] !== undefined) {
      if (this.#length > (isConverted ? 64 : 16) * wholeLimit) this.#faulty(invalid('The answer is too large to be looked at.'));
      return;
    }
    if (this.#attempt.call?.stream === true) {
      this.#faulty(notAStream(this.#headers));
      return;
    }
    const first = this.#chunks[0]?.toString('latin1', 0, 64).trimStart() ?? '';
    if (!first.startsWith('{') && !first.startsWith('[')) {
      this.#faulty(invalid("The provider's answer is not JSON."));
      return;
    }
    this.#state = 'flowing';
    this.#lastEventAt = now;
    for (const piece of this.#chunks) this.#pending.push({ bytes: piece, events: [] });
    this.#chunks = [];
    this.#commit();
  }

  #wholeEnded(): void {
    let body = this.#chunks.length === 1 && this.#chunks[0] !== undefined ? this.#chunks[0] : Buffer.concat(this.#chunks, this.#length);
    try {
      body = decompress(body, this.#headers['content-encoding']);
    } catch (error) {
      this.#faulty(error as GatewayError);
      return;
    }
    const type = this.#headers['content-type'] ?? '';
    if (this.#status < 300 && this.#status !== 204) {
      const fault =
        this.#attempt.call?.stream === true && !looksLikeError(body)
          ? notAStream(this.#headers)
          : faultOfWhole(body, type, this.#tap);
      if (fault !== undefined) {
        this.#faulty(fault);
        return;
      }
    }
    this.#answered(body, undefined);
    this.#state = 'over';
    this.#settings.over(this);
  }

  /** A body too large to hold flows on; its last piece waits for the end. */
  #raw(chunk: Buffer, now: number): void {
    this.#lastEventAt = now;
    const previous = this.#pending.pop();
    if (previous !== undefined) this.#give(previous);
    this.#pending.push({ bytes: chunk, events: [] });
  }

  #rawEnded(): void {
    const last = this.#pending.at(-1)?.bytes ?? none;
    if (endsLikeJson(last)) this.#close({ kind: 'whole' });
    else this.#close({ kind: 'fault', error: interrupted("The provider's answer broke off in the middle.") });
  }

  // ---- streams ----------------------------------------------------------------------------------

  #scanned(scanned: Scanned, now: number): void {
    if (this.#scanner.held > eventLimit) {
      this.#streamFault(invalid(`One event of the stream is larger than ${eventLimit} bytes.`));
      return;
    }
    for (const event of scanned.events) {
      this.#lastEventAt = now;
      const kind = this.#state === 'closing' ? 'end' : this.#tap.event(event);
      if (kind === 'content') {
        if (this.#state === 'holding') this.#commitWith();
      } else if (kind === 'end') {
        this.#endMark(scanned, event, now);
        return;
      } else if (kind === 'fault') {
        this.#providerFault(scanned, event);
        return;
      }
    }
    if (scanned.bytes.length > 0) this.#pass(scanned);
  }

  #commitWith(): void {
    this.#state = 'flowing';
    this.#commit();
  }

  #pass(scanned: Scanned): void {
    if (this.#state === 'flowing' && this.#consumer !== undefined) {
      this.#give(scanned);
      return;
    }
    this.#pending.push(scanned);
    this.#length += scanned.bytes.length;
    if (this.#state === 'holding' && this.#length > holdLimit) this.#commitWith();
  }

  /** The format's own end: everything before it goes on, the mark itself waits until the transport has closed. */
  #endMark(scanned: Scanned, event: ScannedEvent, now: number): void {
    if (this.#state === 'holding') {
      this.#faulty(invalid('The provider sent an empty stream.'));
      return;
    }
    if (this.#state === 'flowing') {
      const [before, tail] = split(scanned, event.start);
      if (before.bytes.length > 0) this.#pass(before);
      this.#state = 'closing';
      this.#closingAt = now;
      this.#tail = tail;
    } else {
      this.#tail = join(this.#tail, scanned);
    }
  }

  /** An error object in the stream: before content it is weather, afterwards it is passed on as the last event. */
  #providerFault(scanned: Scanned, event: ScannedEvent): void {
    const fault = this.#tap.fault ?? { message: 'unknown error' };
    if (this.#state === 'holding') {
      this.#faulty(new GatewayError('upstream_invalid', { message: `The provider began its stream with an error: ${fault.message}`, source: 'provider', provider: fault }));
      return;
    }
    const [before, tail] = split(scanned, event.start);
    if (before.bytes.length > 0) this.#pass(before);
    this.#tail = tail;
    this.#close({ kind: 'whole' });
  }

  #streamEnded(): void {
    const rest = this.#scanner.end();
    if (this.#state === 'closing') {
      this.#tail = join(this.#tail, rest);
      this.#close({ kind: 'whole' });
      return;
    }
    const [last] = rest.events;
    if (last !== undefined) this.#unterminated(rest, last);
    if ((this.#state as State) === 'over') return;
    if ((this.#state as State) === 'closing' || (this.#state === 'flowing' && this.#tap.complete)) {
      this.#close({ kind: 'whole' });
    } else {
      this.#streamFault(
        this.#state === 'holding' ? invalid('The provider sent an empty stream.') : interrupted('The provider closed the stream before its end.'),
      );
    }
  }

  /** An event without its blank line counts when it ends the answer; otherwise it was cut, and nobody is sent half of one. */
  #unterminated(rest: Scanned, event: ScannedEvent): void {
    const kind = this.#tap.event(event);
    if (kind === 'end') this.#endMark(rest, event, this.#settings.monotonic());
    else if (kind === 'fault') this.#providerFault(rest, event);
    else if (this.#tap.complete) {
      if (this.#state === 'holding') this.#commitWith();
      this.#pass(rest);
    }
  }

  #streamFault(error: GatewayError): void {
    if (this.#state === 'flowing') this.#close({ kind: 'fault', error });
    else this.#faulty(error);
  }

  // ---- outcome and flow -------------------------------------------------------------------------

  /** The client is gone or the gateway stops. */
  abort(): void {
    if (this.#state === 'over') return;
    this.#settle({ kind: 'cancelled', attempt: this.#attempt, times: this.#times() });
    this.#release();
  }

  into(consumer: FlowConsumer): void {
    this.#consumer = consumer;
    this.#lastEventAt = this.#settings.monotonic();
    const pending = this.#pending;
    // A body that is not framed keeps its last piece back until its end is known to be good.
    this.#pending = this.#framed || this.#end !== undefined ? [] : pending.splice(-1);
    for (const scanned of pending) consumer.data(scanned.bytes, scanned.events);
    if (this.#end !== undefined) this.#deliverEnd(this.#end);
  }

  /** While the client is slow the provider's silence doesn't count. */
  pause(): void {
    this.#paused = true;
    this.#source?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#lastEventAt = this.#settings.monotonic();
    this.#source?.resume();
  }

  #give(scanned: Scanned): void {
    if (this.#consumer === undefined) this.#pending.push(scanned);
    else this.#consumer.data(scanned.bytes, scanned.events);
  }

  #commit(): void {
    this.#answered(none, this);
  }

  #answered(body: Buffer, flow: Flow | undefined): void {
    const reply: UpstreamReply = { status: this.#status, headers: this.#headers, body, flow, tap: this.#tap };
    this.#settle({ kind: 'answered', attempt: this.#attempt, times: this.#times(), reply });
  }

  #faulty(fault: GatewayError): void {
    this.#settle({ kind: 'faulty', attempt: this.#attempt, times: this.#times(), fault, status: fault.status });
    this.#release();
  }

  /** The flow is at its end: tell the consumer, or keep it for the one who comes. */
  #close(end: { kind: 'whole' } | { kind: 'fault'; error: GatewayError }): void {
    this.#end = end;
    this.#release();
    if (this.#consumer !== undefined) this.#deliverEnd(end);
  }

  #deliverEnd(end: { kind: 'whole' } | { kind: 'fault'; error: GatewayError }): void {
    const consumer = this.#consumer;
    if (consumer === undefined) return;
    for (const scanned of this.#pending.splice(0)) {
      if (this.#framed || end.kind === 'fault') consumer.data(scanned.bytes, scanned.events);
      else this.#tail = join(this.#tail, scanned);
    }
    if (end.kind === 'fault') consumer.fault(end.error);
    else consumer.end(this.#tail.bytes, this.#tail.events);
  }

  #release(): void {
    const unfinished = this.#state !== 'over';
    this.#state = 'over';
    if (unfinished) {
      this.#source?.abort();
      this.#settings.over(this);
    }
  }

  #settle(outcome: Outcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#settings.settle(outcome);
  }

  #times(): Times {
    const from = this.#settings.arrivedAt;
    return {
      at: this.#at - from,
      connectMs: this.#connectedAt === undefined ? undefined : this.#connectedAt - this.#at,
      firstByteMs: this.#firstAt === undefined ? undefined : this.#firstAt - this.#at,
      totalMs: this.#settings.monotonic() - this.#at,
    };
  }
}

function split(scanned: Scanned, at: number): [before: Scanned, tail: Scanned] {
  const events = scanned.events;
  const first = events.findIndex((event) => event.start >= at);
  const cut = first < 0 ? events.length : first;
  return [
    { bytes: scanned.bytes.subarray(0, at), events: events.slice(0, cut) },
    { bytes: scanned.bytes.subarray(at), events: events.slice(cut) },
  ];
}

function join(a: Scanned, b: Scanned): Scanned {
  if (a.bytes.length === 0) return b;
  if (b.bytes.length === 0) return a;
  return { bytes: Buffer.concat([a.bytes, b.bytes]), events: [...a.events, ...b.events] };
}

function notAStream(headers: Readonly<Record<string, string>>): GatewayError {
  return invalid(`The provider answered "${headers['content-type'] ?? ''}" where a stream was asked for.`);
}

function looksLikeError(body: Buffer): boolean {
  return body.toString('latin1', 0, 200).includes('"error"');
}

function interrupted(message: string): GatewayError {
  return new GatewayError('stream_interrupted', { message, source: 'provider' });
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A word for a socket error that is safe to show: its code, never its message with addresses. */
function reason(error: Error): string {
  return codeOf(error) ?? 'closed';
}
