import { responseLimits } from './limits.ts';
import { flawOf } from './scan.ts';

const quote = 0x22;
/** Maximum number of strings that may differ between similar events. */
const changingLimit = 4;
/** Events in a row without the known shape after which no more is learned from this stream. */
const missLimit = 16;
/** The events that clients can read: an object, or the end mark. */
const readable = /^[ \t\r\n]*(?:\{|\[DONE\]\s*$)/;

/**
 * Checks that each event of a stream is one JSON object or `[DONE]`, much faster than by scanning it: most events of a
 * stream differ from the previous one only in the content of one or two strings, so only the text around them is
 * compared. As for whole responses, it checks balance and strings only, not nested scalars.
 */
export class JsonEvents {
  /** The text that events have in common, from quote to quote around the strings that change. */
  #fixed: readonly string[] = [];
  /** The last event that was scanned. */
  #scanned = '';
  #misses = 0;

  isValid(data: string): boolean {
    if (this.#fixed.length > 0 && this.#isKnown(data)) {
      this.#misses = 0;
      return true;
    }
    if (!readable.test(data) || flawOf(data, responseLimits) !== undefined) return false;
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
    // A quote after a backslash does not end its string.
    return data.slice(at) === fixed[last] && !data.includes('\\', fixed[0]?.length);
  }

  /** Finds the strings in which this event and the last scanned one differ. */
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

/** Copies the text to a flat string. A slice of another string is slower to compare, and would keep that string in memory. */
const flat = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');
