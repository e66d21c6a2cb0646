import type { ModelEvent } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json/merge.ts';
import { dataFor, signatureFor } from '../../history/reasoning-details.ts';
import { objectsIn, textOf } from '../../shared/json.ts';

/** Returns the `reasoning_details` of a message or of a delta. */
export const detailsIn = ({ reasoning_details: list }: JsonObject): readonly JsonObject[] => objectsIn(list);

/** Returns the readable text of a detail; '' for encrypted reasoning. */
export const textIn = ({ text, summary }: JsonObject): string => textOf(text) ?? textOf(summary) ?? '';

/** Maximum number of members of a detail that are kept. The API has six. */
const maxMembers = 32;

/** Converts the `reasoning_details` of one choice to events. A stream sends a detail in pieces, its signature in the last one. */
export class ReasoningDetails {
  readonly #choice: number;
  /** Number of the current block. Negative, because the blocks of the content count from 0. */
  #block = -1;
  /** The current text or summary, without its text. */
  #open: JsonObject | undefined;

  constructor(choice: number) {
    this.#choice = choice;
  }

  push(detail: JsonObject, out: ModelEvent[]): void {
    if (detail['type'] === 'reasoning.encrypted') {
      this.close(out);
      if (textOf(detail['data']) !== undefined)
        out.push({ type: 'redacted', choice: this.#choice, block: this.#next(), data: dataFor(detail) });
      return;
    }
    const text = textIn(detail);
    if (this.#open !== undefined && isSame(this.#open, detail, text)) {
      if (Object.keys(this.#open).length < maxMembers) this.#open = { ...this.#open, ...given(detail) };
    } else {
      this.close(out);
      this.#next();
      this.#open = given(detail);
    }
    if (text !== '') out.push({ type: 'thinking', choice: this.#choice, text, block: this.#block });
  }

  /** Ends the current text, because other content or the end follows. */
  close(out: ModelEvent[]): void {
    const signature = this.#open === undefined ? undefined : signatureFor(this.#open);
    this.#open = undefined;
    if (signature !== undefined) out.push({ type: 'thinking', choice: this.#choice, block: this.#block, signature });
  }

  #next(): number {
    this.#block -= 1;
    return this.#block;
  }
}

/** True if a piece continues the detail. Text after a signature begins the next one. */
const isSame = (open: JsonObject, piece: JsonObject, text: string): boolean =>
  open['type'] === piece['type'] && open['index'] === piece['index'] && (text === '' || textOf(open['signature']) === undefined);

/** The members of a piece that are set: later pieces may repeat the earlier ones as null. */
const given = ({ text: _text, summary: _summary, ...rest }: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== ''));
