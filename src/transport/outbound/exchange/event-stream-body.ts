import { faultError, type GatewayError } from '../../../core/error.ts';
import { JsonEvents } from '../../../core/json/events.ts';
import type { Tap } from '../../../core/tap.ts';
import { UpstreamBody, type AttemptState, type FlowEnd, type UpstreamBodyOwner } from './upstream-body.ts';
import { streamInterrupted, invalidResponse } from './faults.ts';
import { type EventScanner, joinScans, type Scanned, type ScannedEvent, splitScan, withTerminator } from '../framing/scanned.ts';

/** Maximum bytes of events without content that are held back. Beyond this the attempt is committed anyway. */
const bufferLimit = 64 * 1024;
/** Maximum bytes of one event: streamed images have several megabytes. A larger event is a fault. */
const eventLimit = 32 * 1024 * 1024;

/**
 * A stream of events. It is held back until its commit point, the first event with content. Its end mark, and anything
 * after it, is held back until the transport has closed.
 */
export class EventStreamBody extends UpstreamBody {
  protected readonly withholdsLast = false;
  readonly #scanner: EventScanner;
  readonly #json = new JsonEvents();
  /** Bytes of the events that are held back. */
  #buffered = 0;
  /** Bytes received after the end mark. */
  #trailingBytes = 0;

  constructor(owner: UpstreamBodyOwner, now: number, scanner: EventScanner) {
    super(owner, now);
    this.#scanner = scanner;
  }

  /** Counts an incomplete event only above `bufferLimit`. Usual events are complete after the next read. */
  override get bufferedBytes(): number {
    return this.#scanner.buffered > bufferLimit ? this.#scanner.buffered : 0;
  }

  data(chunk: Buffer, now: number): void {
    if (this.owner.state === 'closing' && this.#exceedsTrailingLimit(chunk)) {
      this.close({ kind: 'whole' });
      return;
    }
    const scanned = this.#scanner.push(chunk);
    if (this.#scanner.buffered > eventLimit) {
      this.#fault(invalidResponse(`One event of the stream is larger than ${eventLimit} bytes.`));
      return;
    }
    for (const event of scanned.events) {
      this.lastAt = now;
      const kind = this.owner.state === 'closing' ? 'end' : this.owner.tap.event(event);
      if (this.owner.state !== 'closing' && kind !== 'fault' && !this.#isJson(event.data)) {
        this.#malformed(scanned, event);
        return;
      }
      if (kind === 'content') {
        if (this.owner.state === 'holding') this.#commit();
      } else if (kind === 'end') {
        this.#endMark(scanned, event, now);
        return;
      } else if (kind === 'fault') {
        this.#providerFault(scanned, event);
        return;
      }
    }
    if (scanned.bytes.length > 0) this.#forward(scanned);
    const { flaw } = this.#scanner;
    if (flaw !== undefined && this.owner.state !== 'closing')
      this.#fault(invalidResponse(`The provider sent a broken frame in its stream: ${flaw}.`));
  }

  finished(): void {
    const rest = this.#scanner.end();
    if (this.owner.state === 'closing') {
      this.tail = joinScans(this.tail, rest);
      this.close({ kind: 'whole' });
      return;
    }
    const [last] = rest.events;
    // An incomplete event is ignored, even if it looks like the end mark.
    const isComplete = last !== undefined && (this.#json.isValid(last.data) || isErrorText(last));
    const state = isComplete ? this.#finishUnterminated(rest, last) : this.owner.state;
    if (state === 'over') return;
    if (state === 'closing' || (state === 'flowing' && this.owner.tap.complete)) this.close({ kind: 'whole' });
    else if (state === 'holding')
      this.owner.rejectResponse(faultOf(this.owner.tap) ?? invalidResponse('The provider sent an empty stream.'));
    else this.#fault(streamInterrupted('The provider closed the stream before its end.'));
  }

  /** A failure that clients would not recognize is not forwarded. The usage may follow it, up to the end. */
  override close(end: FlowEnd): void {
    const { tap } = this.owner;
    if (end.kind === 'fault' || tap.fault?.isUnmarked !== true) {
      super.close(end);
      return;
    }
    for (const event of this.tail.events) tap.event(event);
    super.close({ kind: 'fault', error: faultError(tap.fault) });
  }

  /** Bytes after the end mark are buffered and have no meaning, so a provider that keeps sending is disconnected. */
  #exceedsTrailingLimit(chunk: Buffer): boolean {
    this.#trailingBytes += chunk.length;
    return this.#trailingBytes > bufferLimit;
  }

  /** Accepts empty data too: services keep a connection alive with empty events. */
  #isJson(data: string): boolean {
    return this.#json.isValid(data) || data.trim() === '';
  }

  /** Forwards the valid data before the event, but not the event itself, which would make the client's parser fail. */
  #malformed(scanned: Scanned, event: ScannedEvent): void {
    const error = invalidResponse('The provider sent an event that is not a JSON object in its stream.');
    if (this.owner.state === 'flowing') {
      const [before] = splitScan(scanned, event.start);
      if (before.bytes.length > 0) this.deliver(before);
    }
    this.#fault(error);
  }

  #commit(): void {
    this.owner.state = 'flowing';
    this.owner.committed(this);
  }

  #forward(scanned: Scanned): void {
    if (this.owner.state === 'flowing') {
      this.deliver(scanned);
      return;
    }
    this.pending.push(scanned);
    this.#buffered += scanned.bytes.length;
    if (this.owner.state === 'holding' && this.#buffered > bufferLimit) this.#commit();
  }

  /** The end mark of the format: everything before it is forwarded, the mark itself waits until the transport has closed. */
  #endMark(scanned: Scanned, event: ScannedEvent, now: number): void {
    if (this.owner.state === 'holding') {
      this.owner.rejectResponse(invalidResponse('The provider sent an empty stream.'));
      return;
    }
    if (this.owner.state === 'closing') {
      this.tail = joinScans(this.tail, scanned);
      return;
    }
    const [before, tail] = splitScan(scanned, event.start);
    this.owner.state = 'closing';
    this.closingAt = now;
    this.tail = tail;
    if (before.bytes.length > 0) this.deliver(before);
  }

  /**
   * Error object in the stream. Before the first content event the attempt fails and may be retried; afterwards the event
   * is forwarded as the last one, unless clients would not recognize it. What follows in the same read is dropped, because it
   * could be the end of a complete response.
   */
  #providerFault(scanned: Scanned, event: ScannedEvent): void {
    if (this.owner.state === 'holding') {
      this.owner.rejectResponse(faultOf(this.owner.tap) ?? invalidResponse('The provider sent an error without a message.'));
      return;
    }
    const [untilEnd] = splitScan(scanned, event.end);
    const [before, tail] = splitScan(untilEnd, event.start);
    if (before.bytes.length > 0) this.#forward(before);
    const { fault } = this.owner.tap;
    if (fault?.isUnmarked === true) {
      this.#fault(faultError(fault));
      return;
    }
    this.tail = tail;
    this.close({ kind: 'whole' });
  }

  /**
   * An event without its blank line counts if it ends the response. The blank line is added, because client libraries
   * ignore an event without it. Returns the state after the event.
   */
  #finishUnterminated(rest: Scanned, event: ScannedEvent): AttemptState {
    const kind = this.owner.tap.event(event);
    const whole = withTerminator(rest);
    if (kind === 'end') this.#endMark(whole, event, this.owner.now());
    else if (kind === 'fault') this.#providerFault(whole, { ...event, end: whole.bytes.length });
    else if (this.owner.tap.complete) {
      if (this.owner.state === 'holding') this.#commit();
      this.#forward(whole);
    }
    return this.owner.state;
  }

  #fault(error: GatewayError): void {
    if (this.owner.state === 'flowing') this.close({ kind: 'fault', error });
    else this.owner.rejectResponse(error);
  }
}

/** Some services also end a stream with an error text that is not JSON. */
const isErrorText = ({ name, data }: ScannedEvent): boolean => name === 'error' && /^\s*[^\s{]/.test(data);

/** The error in a response that had no content before it. */
function faultOf({ fault: provider }: Tap): GatewayError | undefined {
  return provider === undefined ? undefined : faultError(provider);
}
