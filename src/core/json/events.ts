import { answerLimits } from './limits.ts';
import { flawOf } from './scan.ts';

const quote = 0x22;
/** Strings of an event that may change from one to the next. */
const changingLimit = 4;
/** Events in a row that were like none before: after so many of them no more is learned from this stream. */
const missLimit = 16;
/** What clients read an event as: an object, or the mark of the end. */
const readable = /^[ \t\r\n]*(?:\{|\[DONE\]\s*$)/;

/**
 * Checks that each event of a stream is one JSON object, or `[DONE]`, at a fraction of a scan: most events of a stream differ from the
 * one before in the content of a string or two, so all that is compared is what is around them. Balance and strings
 * only, as for whole answers: nested scalars are not looked at.
 */
export class JsonEvents {
  /** What events have in common, from quote to quote around the strings that change. */
  #fixed: readonly string[] = [];
  /** The last event that was scanned. */
  #scanned = '';
  #misses = 0;

  isOne(data: string): boolean {
    if (this.#fixed.length > 0 && this.#isKnown(data)) {
      this.#misses = 0;
      return true;
    }
    if (!readable.test(data) || flawOf(data, answerLimits) !== undefined) return false;
    this.#misses += 1;
    if (this.#misses <= missLimit) this.#learn(data);
    return true;
  }

  #isKnown(data: string): boolean {
    const fixed = this.#fixed;
    const last = fixed.length - 1;
    let at = 0;
    for (let i = 0; i < last; i += 1) {
      const part = fixed[i] ?? '';
      const from = at + part.length;
      if (data.slice(at, from) !== part) return false;
      at = data.indexOf('"', from);
      if (at < 0) return false;
    }
    // A quote behind a backslash does not end its string.
    return data.slice(at) === fixed[last] && !data.includes('\\', fixed[0]?.length);
  }

  /** Finds the strings in which this event and the one that was scanned before differ. */
  #learn(data: string): void {
    if (data.includes('\\')) return;
    const before = this.#scanned;
    this.#scanned = data;
    const fixed: string[] = [];
    let from = 0;
    let shift = 0;
    let opening = -1;
    for (let at = 0; at < data.length; at += 1) {
      const c = data.charCodeAt(at);
      if (c === before.charCodeAt(at + shift)) {
        if (c === quote) opening = opening < 0 ? at : -1;
        continue;
      }
      const end = opening < 0 ? -1 : data.indexOf('"', at);
      const endBefore = end < 0 ? -1 : before.indexOf('"', at + shift);
      if (endBefore < 0 || fixed.length === changingLimit) return;
      fixed.push(flat(data.slice(from, opening + 1)));
      from = end;
      at = end;
      shift = endBefore - end;
      opening = -1;
    }
    if (data.length + shift === before.length && fixed.length > 0) this.#fixed = [...fixed, flat(data.slice(from))];
  }
}

/** A text of its own: comparing with a piece of another one takes longer, and would keep that one alive. */
const flat = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');
