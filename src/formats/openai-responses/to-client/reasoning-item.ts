import type { JsonObject } from '../../../core/json/merge.ts';
import { type Kept, keptText } from '../../history/kept-content.ts';
import { type ApiEvent, itemAdded, itemDone, noEvents, type OutputItem, type Place } from './items.ts';

/** Reasoning of the model, as a summary, which is what clients show. */
export class ReasoningItem implements OutputItem {
  isClosed = false;
  readonly block: number | undefined;
  readonly #at: Place;
  #text = '';
  #kept: Kept = 'thinking';
  #value = '';

  constructor(at: Place, block: number | undefined) {
    this.#at = at;
    this.block = block;
  }

  get item(): JsonObject {
    const summary = this.#text === '' ? [] : [{ type: 'summary_text', text: this.#text }];
    return { id: this.#at.item_id, type: 'reasoning', summary, encrypted_content: keptText(this.#kept, this.#value) };
  }

  get isSigned(): boolean {
    return this.#value !== '';
  }

  begin(): ApiEvent {
    return itemAdded(this.#at, { id: this.#at.item_id, type: 'reasoning', summary: [] });
  }

  text(delta: string): readonly ApiEvent[] {
    if (delta === '') return noEvents;
    const isFirst = this.#text === '';
    this.#text += delta;
    const part = { type: 'summary_text', text: '' };
    const event = { type: 'response.reasoning_summary_text.delta', ...this.#place, delta };
    return isFirst ? [{ type: 'response.reasoning_summary_part.added', ...this.#place, part }, event] : [event];
  }

  /** Keeps a signature, or a part of it, or encrypted reasoning. */
  keep(kept: Kept, value: string): void {
    this.#kept = kept;
    this.#value += value;
  }

  close(): readonly ApiEvent[] {
    if (this.isClosed) return noEvents;
    this.isClosed = true;
    const part = { type: 'summary_text', text: this.#text };
    const ends: readonly ApiEvent[] =
      this.#text === ''
        ? noEvents
        : [
            { type: 'response.reasoning_summary_text.done', ...this.#place, text: this.#text },
            { type: 'response.reasoning_summary_part.done', ...this.#place, part },
          ];
    return [...ends, itemDone(this.#at, this.item)];
  }

  get #place(): JsonObject {
    return { ...this.#at, summary_index: 0 };
  }
}
