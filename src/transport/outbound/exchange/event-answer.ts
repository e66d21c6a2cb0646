import { faultError, type GatewayError } from '../../../core/error.ts';
import { JsonEvents } from '../../../core/json/events.ts';
import type { Tap } from '../../../core/tap.ts';
import type { EventScanner } from '../framing/index.ts';
import type { Scanned, ScannedEvent } from '../framing/sse.ts';
import { Answer, type AnswerOwner, type State } from './answer.ts';
import { interrupted, invalid } from './faults.ts';
import { join, split, terminated } from '../framing/scanned.ts';

/** Maximum bytes of events without content that are held back. Beyond this the attempt is committed anyway. */
const holdLimit = 64 * 1024;
/** Maximum bytes of one event: streamed images have several megabytes. A larger event is a fault. */
const eventLimit = 32 * 1024 * 1024;

/**
 * A stream of events. It is held back until its commit point, the first event with content. Its end mark, and anything
 * after it, is held back until the transport has closed.
 */
export class EventAnswer extends Answer {
  protected readonly holdsLast = false;
  readonly #scanner: EventScanner;
  readonly #json = new JsonEvents();
  /** Bytes of the events that are held back. */
  #buffered = 0;
  /** Bytes received after the end mark. */
  #behind = 0;

  constructor(owner: AnswerOwner, now: number, scanner: EventScanner) {
    super(owner, now);
    this.#scanner = scanner;
  }

  /** Counts an incomplete event only above `holdLimit`. Usual events are complete after the next read. */
  override get waiting(): number {
    return this.#scanner.buffered > holdLimit ? this.#scanner.buffered : 0;
  }

  data(chunk: Buffer, now: number): void {
    if (this.owner.state === 'closing' && this.#isTooMuch(chunk)) {
      this.close({ kind: 'whole' });
      return;
    }
    const scanned = this.#scanner.push(chunk);
    if (this.#scanner.buffered > eventLimit) {
      this.#fault(invalid(`One event of the stream is larger than ${eventLimit} bytes.`));
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
    if (scanned.bytes.length > 0) this.#pass(scanned);
    const { flaw } = this.#scanner;
    if (flaw !== undefined && this.owner.state !== 'closing')
      this.#fault(invalid(`The provider sent a broken frame in its stream: ${flaw}.`));
  }

  finished(): void {
    const rest = this.#scanner.end();
    if (this.owner.state === 'closing') {
      this.tail = join(this.tail, rest);
      this.close({ kind: 'whole' });
      return;
    }
    const [last] = rest.events;
    // An incomplete event is ignored, even if it looks like the end mark.
    const counts = last !== undefined && (this.#json.isOne(last.data) || isErrorText(last));
    const state = counts ? this.#unterminated(rest, last) : this.owner.state;
    if (state === 'over') return;
    if (state === 'closing' || (state === 'flowing' && this.owner.tap.complete)) this.close({ kind: 'whole' });
    else if (state === 'holding') this.owner.faulty(faultOf(this.owner.tap) ?? invalid('The provider sent an empty stream.'));
    else this.#fault(interrupted('The provider closed the stream before its end.'));
  }

  /** Bytes after the end mark are buffered and have no meaning, so a provider that keeps sending is disconnected. */
  #isTooMuch(chunk: Buffer): boolean {
    this.#behind += chunk.length;
    return this.#behind > holdLimit;
  }

  /** Accepts empty data too: services keep a connection alive with empty events. */
  #isJson(data: string): boolean {
    return this.#json.isOne(data) || data.trim() === '';
  }

  /** Forwards the valid data before the event, but not the event itself, which would make the client's parser fail. */
  #malformed(scanned: Scanned, event: ScannedEvent): void {
    const error = invalid('The provider sent an event that is not a JSON object in its stream.');
    if (this.owner.state === 'flowing') {
      const [before] = split(scanned, event.start);
      if (before.bytes.length > 0) this.give(before);
    }
    this.#fault(error);
  }

  #commit(): void {
    this.owner.state = 'flowing';
    this.owner.committed(this);
  }

  #pass(scanned: Scanned): void {
    if (this.owner.state === 'flowing') {
      this.give(scanned);
      return;
    }
    this.pending.push(scanned);
    this.#buffered += scanned.bytes.length;
    if (this.owner.state === 'holding' && this.#buffered > holdLimit) this.#commit();
  }

  /** The end mark of the format: everything before it is forwarded, the mark itself waits until the transport has closed. */
  #endMark(scanned: Scanned, event: ScannedEvent, now: number): void {
    if (this.owner.state === 'holding') {
      this.owner.faulty(invalid('The provider sent an empty stream.'));
      return;
    }
    if (this.owner.state === 'closing') {
      this.tail = join(this.tail, scanned);
      return;
    }
    const [before, tail] = split(scanned, event.start);
    this.owner.state = 'closing';
    this.closingAt = now;
    this.tail = tail;
    if (before.bytes.length > 0) this.give(before);
  }

  /**
   * Error object in the stream. Before the first content event the attempt fails and may be retried; afterwards the event
   * is forwarded as the last one.
   */
  #providerFault(scanned: Scanned, event: ScannedEvent): void {
    if (this.owner.state === 'holding') {
      this.owner.faulty(faultOf(this.owner.tap) ?? invalid('The provider sent an error that says nothing.'));
      return;
    }
    const [before, tail] = split(scanned, event.start);
    if (before.bytes.length > 0) this.#pass(before);
    this.tail = tail;
    this.close({ kind: 'whole' });
  }

  /**
   * An event without its blank line counts if it ends the response. The blank line is added, because client libraries
   * ignore an event without it. Returns the state after the event.
   */
  #unterminated(rest: Scanned, event: ScannedEvent): State {
    const kind = this.owner.tap.event(event);
    const whole = terminated(rest);
    if (kind === 'end') this.#endMark(whole, event, this.owner.now());
    else if (kind === 'fault') this.#providerFault(whole, event);
    else if (this.owner.tap.complete) {
      if (this.owner.state === 'holding') this.#commit();
      this.#pass(whole);
    }
    return this.owner.state;
  }

  #fault(error: GatewayError): void {
    if (this.owner.state === 'flowing') this.close({ kind: 'fault', error });
    else this.owner.faulty(error);
  }
}

/** Some services also end a stream with an error text that is not JSON. */
const isErrorText = ({ name, data }: ScannedEvent): boolean => name === 'error' && /^\s*[^\s{]/.test(data);

/** The error in a response that had no content before it. */
function faultOf({ fault: provider }: Tap): GatewayError | undefined {
  return provider === undefined ? undefined : faultError(provider);
}
