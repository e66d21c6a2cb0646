import { faultError, GatewayError } from '../../../core/error.ts';
import type { ModelEvent, WireEvent } from '../../../core/events.ts';
import type { StreamTransform } from '../../../core/stream.ts';
import { OutputText } from '../../anthropic-messages/response/output-text.ts';
import { parseObject } from '../../shared/json.ts';
import { faultOfEvent, isFault } from '../fault.ts';
import { type ConverseCall, ConverseReader } from './reader.ts';
import { streamInterrupted } from '../../shared/response/stream-errors.ts';

const nothing: readonly ModelEvent[] = Object.freeze([]);

/** Events whose data must be JSON. Unknown ones may contain anything. */
const known: ReadonlySet<string> = new Set([
  'messageStart',
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
  'messageStop',
  'metadata',
]);

/** Converts the unframed events of a ConverseStream response to hub events. */
export class ConverseStream implements StreamTransform<WireEvent, ModelEvent> {
  readonly #reader: ConverseReader;
  readonly #output: OutputText | undefined;
  #isFinished = false;
  #isOver = false;

  /** @param hasOutputTool the request offers the output tool */
  constructor(call: ConverseCall, hasOutputTool = false) {
    this.#reader = new ConverseReader(call);
    this.#output = hasOutputTool ? new OutputText() : undefined;
  }

  push(event: WireEvent): readonly ModelEvent[] {
    if (this.#isOver) return nothing;
    if (isFault(event)) return this.fail(faultError(faultOfEvent(event)));
    const data = parseObject(event.data);
    if (data === undefined) {
      if (!known.has(event.name)) return nothing;
      const message = `The provider sent an event "${event.name}" that is not JSON.`;
      return this.fail(new GatewayError('upstream_invalid', { message, source: 'provider' }));
    }
    if (event.name === 'messageStop') this.#isFinished = true;
    const events = this.#reader.event(event.name, data);
    return this.#output === undefined ? events : this.#output.pass(events, this.#reader.isOutput);
  }

  /** The usage comes after `messageStop` and may be missing. */
  end(): readonly ModelEvent[] {
    if (this.#isOver) return nothing;
    if (this.#reader.fault !== undefined) return this.fail(faultError(this.#reader.fault));
    if (this.#isFinished) return nothing;
    return this.fail(streamInterrupted());
  }

  fail(error: GatewayError): readonly ModelEvent[] {
    if (this.#isOver) return nothing;
    this.#isOver = true;
    return [{ type: 'error', error }];
  }
}
