import { Cursors } from './find/cursors.ts';
import { cannotMatch } from './find/plain.ts';
import type { PatternBudget } from './find/text.ts';
import type { KnownElements } from './elements/known-elements.ts';
import { ListElements } from './elements/list-elements.ts';
import { type CompiledRules, Masker } from './masker.ts';
import { endWithoutMedia } from './media.ts';
import { isMaskedMember } from './names/member-names.ts';
import { lastUserText, previewOfMessage } from './preview.ts';

/** Characters read beyond the limit, so that no value is cut. */
const margin = 8 * 1024;
/** Minimum length of a text that is checked fast before it is searched. */
const shortestChecked = 96;
/** Maximum characters from the name of a member to its text, if the name is followed by it. */
const longestLead = 72;
/** Maximum characters of a message for the preview. */
const longestMessage = 64 * 1024;

export interface PlainText {
  /** The same text as bytes. */
  readonly bytes: Buffer;
  /** Elements that these rules have masked before. */
  readonly known: KnownElements | undefined;
}

/** Masks the kept part of a request body, and finds the last user message. */
export class RequestMasker extends Masker {
  readonly #limit: number;
  readonly #bytes: Buffer | undefined;
  readonly elements: ListElements | undefined;
  /** Offset at which masking stopped within a text. */
  #cutOffset: number | undefined;
  /** The text after this offset is not masked and must not be kept. */
  end = 0;

  /** @param plain given if most parts of the text may be plain */
  constructor(text: string, rules: CompiledRules, effort: PatternBudget, limit: number, plain?: PlainText) {
    super(text, rules, effort);
    this.#limit = limit + margin;
    this.#bytes = plain?.bytes;
    if (plain?.known !== undefined) this.elements = new ListElements(text, plain.bytes, plain.known, this.edits);
  }

  override string(start: number, end: number, isEscaped: boolean, channel: number, path: number): void {
    if (this.#isPlain(start, end)) return;
    super.string(start, end, isEscaped, channel, path);
  }

  /** The fast check of one text, with its name. One number that may be anything must not cost a search of the whole body. */
  #isPlain(start: number, end: number): boolean {
    if (this.#bytes === undefined || end - start < shortestChecked || end >= this.text.length) return false;
    const from = this.traversal.nameStart - 1;
    if (from < 0 || start - from > longestLead) return false;
    return cannotMatch(this.text.slice(from, end + 1), this.#bytes.subarray(from, end + 1), isMaskedMember);
  }

  /** True if most of the text was part of earlier requests. */
  get repeatsOthers(): boolean {
    return this.elements !== undefined && this.elements.knownSize * 2 > this.text.length;
  }

  /** Masks the text from its beginning. Text beyond the limit is not read. */
  run(): void {
    const { text } = this;
    const end = this.traversal.run(text, 0, text.length, this, this.#limit);
    this.elements?.finish();
    this.end = this.#cutOffset ?? end;
  }

  /** Masking makes the text shorter, so more of it can be read. */
  override reach(): number {
    return this.#cutOffset ?? this.#limit + this.edits.saved;
  }

  /** Masks only the beginning of a text that extends far beyond the limit. What may be a truncated value at its end is not kept. */
  protected override mask(start: number, end: number, isEscaped: boolean): void {
    const maxLength = Math.max(0, this.reach() - start) + 2 * margin;
    // Cursors only move forward: those of the search must not be behind the text that is searched next.
    const stop = end - start <= maxLength ? end : endWithoutMedia(new Cursors(this.text), start, end, maxLength);
    super.mask(start, stop, isEscaped);
    if (stop < end) this.#cutOffset = this.edits.endOfEditAt(stop - margin);
  }

  /** A masked one-line preview of the last user message; null if there is none. */
  preview(): string | null {
    return lastUserText(
      this.text,
      (start, end, before) => (end <= this.end ? this.edits.apply(this.text, start, end) : this.#maskRange(start, end, before)),
      this.elements?.lists,
    );
  }

  /** Masks a part of the text that was not masked yet, up to `longestMessage` characters. */
  #maskRange(start: number, end: number, before: string): string {
    const message = this.text.slice(start, Math.min(end, start + longestMessage));
    // Messages of other roles are frequent and are not shown, so they are not masked.
    if (message.startsWith('{') && previewOfMessage(message) === undefined) return '';
    const text = before + message;
    const masker = new Masker(text, this.rules, this.effort);
    masker.traversal.run(text, 0, text.length, masker);
    const shown = masker.edits.apply(text);
    return shown.startsWith(before) ? shown.slice(before.length) : '';
  }
}
