import { parseChecked } from '../../../core/json/scan.ts';
import { valueOf } from '../json.ts';

const quote = 0x22;
const backslash = 0x5c;
/** Events that are learned from one stream: one whose events are never alike costs no more than these. */
const mostLearned = 16;
/** Characters of an event that is learned: what is around its text is kept for as long as the stream lasts. */
const longest = 16 * 1024;
/** A number outside of strings: what is before it is the end of a member's name, or of an item. */
const number = /(?<=[[,:] ?)\d+(?=[\s,}\]])/g;

/**
 * Events of a stream that are as one before them but for one text, and for the numbers of a member that counts: most
 * events of most streams. What is around the text is compared instead of parsed.
 */
export class AlikeEvents {
  readonly #member: string;
  readonly #counts: string;
  /** Up to the quote that opens the text; '' while nothing is learned. */
  #before = '';
  /** From the quote that closes it, divided where a count is. */
  #behind: readonly string[] = [];
  #learned = 0;

  /**
   * @param member name of the text
   * @param counts name of the object, behind the text, whose numbers may differ
   */
  constructor(member: string, counts: string) {
    this.#member = member;
    this.#counts = counts;
  }

  /**
   * @param text what the event says in its only such member
   * @returns false where it has more of them, is long, or enough has been learned: what was learned before stays
   */
  learn(data: string, text: string): boolean {
    if (this.#learned === mostLearned || data.length > longest) return false;
    this.#learned += 1;
    const start = valueOf(data, this.#member);
    if (data.charCodeAt(start) !== quote) return false;
    const end = endOfText(data, start + 1);
    if (valueOf(data, this.#member, end) >= 0 || decoded(data.slice(start + 1, end)) !== text) return false;
    const counts = valueOf(data, this.#counts, end);
    const [fixed, counting] = counts < 0 ? [data.slice(end), ''] : [data.slice(end, counts), data.slice(counts)];
    const [first = '', ...others] = counting.split(number);
    this.#before = flat(data.slice(0, start + 1));
    this.#behind = [fixed + first, ...others].map(flat);
    return true;
  }

  /** The text of an event that is like the one that was learned last; undefined for every other. */
  textIn(data: string): string | undefined {
    const before = this.#before;
    if (before === '' || !data.startsWith(before)) return undefined;
    const start = before.length;
    const end = endOfText(data, start);
    if (end < 0 || !this.#endsAlike(data, end)) return undefined;
    const text = data.slice(start, end);
    return text.includes('\\') ? decoded(text) : text;
  }

  #endsAlike(data: string, from: number): boolean {
    const parts = this.#behind;
    let at = from;
    for (let i = 0; i < parts.length; i += 1) {
      const part = parts[i] ?? '';
      if (i > 0) {
        const digits = at;
        while (isDigit(data.charCodeAt(at))) at += 1;
        if (at === digits) return false;
      }
      if (!data.startsWith(part, at)) return false;
      at += part.length;
    }
    return at === data.length;
  }
}

/** Offset of the quote that closes the string whose content begins at `start`; -1 where there is none. */
function endOfText(data: string, start: number): number {
  for (let end = data.indexOf('"', start); end >= 0; end = data.indexOf('"', end + 1)) {
    let before = end - 1;
    while (data.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}

/** @param text between its quotes; undefined where that is no JSON */
function decoded(text: string): string | undefined {
  try {
    return parseChecked(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}

const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39;

/** A text of its own: a piece of another one takes longer to compare, and would keep that one alive. */
const flat = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');
