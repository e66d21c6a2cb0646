import type { JsonObject } from '../../../core/json/merge.ts';
import type { SignedPiece } from '../../history/kept-content.ts';
import { type ApiEvent, type EndStatus, itemAdded, itemDone, noEvents, type OutputItem, type Place } from './items.ts';

interface TextPart {
  readonly type: 'output_text';
  text: string;
  readonly annotations: JsonObject[];
  readonly logprobs: JsonObject[];
}

interface RefusalPart {
  readonly type: 'refusal';
  refusal: string;
}

/** A message of the model: texts and refusals. */
export class MessageItem implements OutputItem {
  #status: 'in_progress' | EndStatus = 'in_progress';
  /** Length of all text of the response before this message. */
  readonly start: number;
  readonly #at: Place;
  readonly #content: (TextPart | RefusalPart)[] = [];
  readonly #signed: SignedPiece[] = [];
  /** Where the last signed piece ends in its text. */
  #signedEnd = 0;

  constructor(at: Place, start: number) {
    this.#at = at;
    this.start = start;
  }

  get isClosed(): boolean {
    return this.#status !== 'in_progress';
  }

  get item(): JsonObject {
    return this.#itemWith(this.#status, this.#content.map(partOf));
  }

  begin(): ApiEvent {
    return itemAdded(this.#at, this.#itemWith('in_progress', []));
  }

  text(delta: string, logprobs: readonly JsonObject[]): readonly ApiEvent[] {
    const last = this.#content.at(-1);
    if (last?.type === 'output_text') {
      last.text += delta;
      for (const one of logprobs) last.logprobs.push(one);
      return [this.#textDelta(delta, logprobs)];
    }
    const begun = this.#next(
      { type: 'output_text', text: delta, annotations: [], logprobs: [...logprobs] },
      { type: 'output_text', text: '', annotations: [], logprobs: [] },
    );
    return [...begun, this.#textDelta(delta, logprobs)];
  }

  /** Adds log probabilities to the last text if no other text follows it. */
  addLogprobs(logprobs: readonly JsonObject[]): readonly ApiEvent[] {
    return this.#content.at(-1)?.type === 'output_text' ? this.text('', logprobs) : noEvents;
  }

  /** Signs the end of the last text. */
  sign(length: number, signature: string): void {
    const last = this.#content.at(-1);
    const end = last?.type === 'output_text' ? last.text.length : 0;
    this.#signed.push({ start: end - length - this.#signedEnd, length, signature });
    this.#signedEnd = end;
  }

  /** Takes the signed pieces of its text. The API has no place for their signatures in a message. */
  takeSigned(): readonly SignedPiece[] {
    return this.#signed.splice(0);
  }

  refusal(delta: string): readonly ApiEvent[] {
    const last = this.#content.at(-1);
    const event = (): ApiEvent => ({ type: 'response.refusal.delta', ...this.#place, delta });
    if (last?.type === 'refusal') {
      last.refusal += delta;
      return [event()];
    }
    return [...this.#next({ type: 'refusal', refusal: delta }, { type: 'refusal', refusal: '' }), event()];
  }

  /** Adds a source to the last text. */
  annotate(annotation: JsonObject): readonly ApiEvent[] {
    const content_index = this.#content.findLastIndex(({ type }) => type === 'output_text');
    const part = this.#content[content_index];
    if (part?.type !== 'output_text') return noEvents;
    part.annotations.push(annotation);
    const annotation_index = part.annotations.length - 1;
    return [{ type: 'response.output_text.annotation.added', ...this.#at, content_index, annotation_index, annotation }];
  }

  close(status: EndStatus): readonly ApiEvent[] {
    if (this.isClosed) return noEvents;
    const last = this.#endPart();
    this.#status = status;
    return [...last, itemDone(this.#at, this.item)];
  }

  #textDelta(delta: string, logprobs: readonly JsonObject[]): ApiEvent {
    return { type: 'response.output_text.delta', ...this.#place, delta, logprobs };
  }

  get #place(): JsonObject {
    return { ...this.#at, content_index: this.#content.length - 1 };
  }

  #next(part: TextPart | RefusalPart, empty: JsonObject): readonly ApiEvent[] {
    const before = this.#endPart();
    this.#content.push(part);
    return [...before, { type: 'response.content_part.added', ...this.#place, part: empty }];
  }

  #endPart(): readonly ApiEvent[] {
    const last = this.#content.at(-1);
    if (last === undefined) return noEvents;
    const at = this.#place;
    const done =
      last.type === 'refusal'
        ? { type: 'response.refusal.done', ...at, refusal: last.refusal }
        : { type: 'response.output_text.done', ...at, text: last.text, logprobs: last.logprobs };
    return [done, { type: 'response.content_part.done', ...at, part: partOf(last) }];
  }

  #itemWith(status: string, content: readonly JsonObject[]): JsonObject {
    return { id: this.#at.item_id, type: 'message', status, role: 'assistant', content };
  }
}

/** A copy, because the part of an event must not change when sources are added later. */
const partOf = (part: TextPart | RefusalPart): JsonObject =>
  part.type === 'refusal' ? { ...part } : { ...part, annotations: [...part.annotations] };
