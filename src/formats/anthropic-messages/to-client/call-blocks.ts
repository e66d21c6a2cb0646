import type { ModelEvent } from '../../../core/events.ts';
import type { Plain } from '../../../core/json/merge.ts';
import { madeCallId } from '../../../core/model/call-id.ts';

/** What one event of a call comes to. */
interface Step {
  /** The block that begins with it. */
  readonly start: Plain | undefined;
  /** Text of the input; '' for none. */
  readonly delta: string;
  /** The block that it belongs to. */
  readonly index: number;
}

/** Calls of one answer as blocks. A service may go on with an earlier call: libraries find its block by the number. */
export class CallBlocks {
  readonly #requestId: string;
  /** Number of the block, by the provider's number of the call. */
  readonly #blocks = new Map<number, number>();
  readonly #custom = new Set<number>();
  /** Calls of which some input was told. */
  readonly #told = new Set<number>();

  constructor(requestId: string) {
    this.#requestId = requestId;
  }

  get count(): number {
    return this.#blocks.size;
  }

  take(event: Extract<ModelEvent, { type: 'tool_call' }>, next: () => number): Step {
    const known = this.#blocks.get(event.index);
    if (event.kind === 'custom') this.#custom.add(event.index);
    // Free text is no JSON: the client gets nothing rather than an input that it cannot read.
    const input = this.#custom.has(event.index) ? '' : (event.arguments ?? '');
    // Some services write null for a call without arguments.
    const delta = input === 'null' && !this.#told.has(event.index) ? '' : input;
    if (delta !== '') this.#told.add(event.index);
    if (known !== undefined) return { start: undefined, delta, index: known };
    const index = next();
    const id = event.id ?? madeCallId(this.#requestId, 0, this.#blocks.size);
    this.#blocks.set(event.index, index);
    return { start: { type: 'tool_use', id: id.replaceAll(/[^\w-]/g, '_'), name: event.name ?? '', input: {} }, delta, index };
  }
}
