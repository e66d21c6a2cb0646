import type { Effort } from './find/text.ts';
import { type CompiledRules, Masker } from './masker.ts';
import { endWithoutMedia } from './media.ts';
import { lastUserText, previewOfMessage } from './preview.ts';

/** Characters beyond the limit that are looked at, so that nothing is cut within a value. */
const margin = 8 * 1024;
/** Characters of a message that a preview is made of. */
const longestMessage = 64 * 1024;

/** Masks the body of a request as far as it is kept, and finds what its user said last. */
export class RequestMasker extends Masker {
  readonly #limit: number;
  /** Where a text was left. */
  #cut: number | undefined;
  /** What lies behind this is not masked, and not kept. */
  end = 0;

  constructor(text: string, rules: CompiledRules, effort: Effort, limit: number) {
    super(text, rules, effort);
    this.#limit = limit + margin;
  }

  /** Masks the text from its beginning on. What lies beyond the limit is not read. */
  run(): void {
    const { text } = this;
    const end = this.walk.run(text, 0, text.length, this, this.#limit);
    this.end = this.#cut ?? end;
  }

  /** What is masked makes room. */
  override reach(): number {
    return this.#cut ?? this.#limit + this.edits.saved;
  }

  /** Of a text that goes on far beyond the limit only the beginning is looked through. What may be a value at its end is not kept. */
  protected override mask(start: number, end: number, isEscaped: boolean): void {
    const most = Math.max(0, this.reach() - start) + 2 * margin;
    const stop = end - start <= most ? end : endWithoutMedia(this.cursors, start, end, most);
    super.mask(start, stop, isEscaped);
    if (stop < end) this.#cut = this.edits.behind(stop - margin);
  }

  /** One line of what the user said last, masked; null where nothing of it is known. */
  preview(): string | null {
    return lastUserText(this.text, (start, end, before) =>
      end <= this.end ? this.edits.apply(this.text, start, end) : this.#shown(start, end, before),
    );
  }

  /** A part of the text that was not masked, or the beginning of it. */
  #shown(start: number, end: number, before: string): string {
    const message = this.text.slice(start, Math.min(end, start + longestMessage));
    // Those of others are many, and nothing of them is shown.
    if (message.startsWith('{') && previewOfMessage(message) === undefined) return '';
    const text = before + message;
    const masker = new Masker(text, this.rules, this.effort);
    masker.walk.run(text, 0, text.length, masker);
    const shown = masker.edits.apply(text);
    return shown.startsWith(before) ? shown.slice(before.length) : '';
  }
}
