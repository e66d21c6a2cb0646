import type { ModelEvent } from '../../../core/events.ts';
import { RetainedSize } from '../../shared/response/retained-size.ts';

/** Events before which it is known that the text so far is the response, unless the output tool was called. */
const decisive: ReadonlySet<ModelEvent['type']> = new Set(['tool_call', 'finish', 'error']);

/**
 * Keeps other text out of a stream with a schema that a model writes into the output tool. Until the model calls a tool, its text
 * is buffered, with all that follows it: text before the output tool would make the JSON invalid, other text is the response.
 */
export class OutputText {
  #buffered: ModelEvent[] = [];
  /** Numbers of the blocks of text. */
  readonly #texts = new Set<number | undefined>();
  /** Number of the block of the output tool. */
  #output: number | undefined;
  readonly #retained = new RetainedSize();

  /** @param isOutput true once the output tool was called, also if the call is among these events */
  pass(events: readonly ModelEvent[], isOutput: boolean): readonly ModelEvent[] {
    const out: ModelEvent[] = [];
    for (const event of events) {
      if (isOutput && this.#output === undefined && event.type === 'block') this.#output = event.block;
      if (isOutput || decisive.has(event.type)) {
        out.push(...this.#buffered.filter((one) => !isOutput || !this.#isOtherText(one)));
        this.#buffered = [];
        if (!isOutput || !this.#isOtherText(event)) out.push(event);
      } else if (this.#buffered.length > 0 || this.#isOtherText(event)) {
        this.#retained.addJson(event);
        this.#buffered.push(event);
      } else out.push(event);
    }
    return out;
  }

  /** True for text, and for members and citations of text, except those of the output tool. */
  #isOtherText(event: ModelEvent): boolean {
    if (event.type === 'annotations') return true;
    if ((event.type !== 'text' && event.type !== 'block') || (this.#output !== undefined && event.block === this.#output)) return false;
    if (event.type === 'text' || event.kind === 'text') this.#texts.add(event.block);
    return this.#texts.has(event.block);
  }
}
