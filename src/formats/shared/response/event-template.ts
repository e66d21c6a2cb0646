import { parseChecked } from '../../../core/json/scan.ts';
import { offsetOfValue } from '../json.ts';

const quote = 0x22;
const backslash = 0x5c;
/** Maximum number of events learned per stream. Limits the cost of a stream whose events are all different. */
const maxLearned = 16;
/** Maximum length of an event to learn, in characters: the parts around its text are retained as long as the stream lasts. */
const maxEventLength = 16 * 1024;
/** Matches a number that is the value of a member or an item of an array. */
const number = /(?<=[[,:] ?)\d+(?=[\s,}\]])/g;

/**
 * Recognizes stream events that equal an earlier one except for one text and the numbers of one usage member, as most events of
 * most streams do. The parts around the text are compared instead of parsed.
 */
export class EventTemplate {
  readonly #member: string;
  readonly #counts: string;
  /** The learned event up to the opening quote of the text; '' while nothing is learned. */
  #prefix = '';
  /** The learned event from the closing quote on, split at each number that may differ. */
  #suffixParts: readonly string[] = [];
  #learned = 0;

  /**
   * @param member name of the text member
   * @param counts name of the object after the text whose numbers may differ
   */
  constructor(member: string, counts: string) {
    this.#member = member;
    this.#counts = counts;
  }

  /**
   * @param text the parsed value of the text member, which must occur once in the event
   * @returns false if the event cannot be learned: the member occurs more than once, the event is too long, or `maxLearned` is
   * reached. The event learned before is then retained.
   */
  learn(data: string, text: string): boolean {
    if (this.#learned === maxLearned || data.length > maxEventLength) return false;
    this.#learned += 1;
    const start = offsetOfValue(data, this.#member);
    if (data.charCodeAt(start) !== quote) return false;
    const end = endOfText(data, start + 1);
    if (offsetOfValue(data, this.#member, end) >= 0 || decoded(data.slice(start + 1, end)) !== text) return false;
    const counts = offsetOfValue(data, this.#counts, end);
    const [fixed, counting] = counts < 0 ? [data.slice(end), ''] : [data.slice(end, counts), data.slice(counts)];
    const [first = '', ...others] = counting.split(number);
    this.#prefix = flatCopy(data.slice(0, start + 1));
    this.#suffixParts = [fixed + first, ...others].map(flatCopy);
    return true;
  }

  /** Returns the text of an event that matches the last learned event; undefined for any other event. */
  textIn(data: string): string | undefined {
    const before = this.#prefix;
    if (before === '' || !data.startsWith(before)) return undefined;
    const start = before.length;
    const end = endOfText(data, start);
    if (end < 0 || !this.#matchesSuffix(data, end)) return undefined;
    const text = data.slice(start, end);
    return text.includes('\\') ? decoded(text) : text;
  }

  #matchesSuffix(data: string, from: number): boolean {
    const parts = this.#suffixParts;
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

/** Returns the offset of the closing quote of the string whose content begins at `start`; -1 if there is none. */
function endOfText(data: string, start: number): number {
  for (let end = data.indexOf('"', start); end >= 0; end = data.indexOf('"', end + 1)) {
    let before = end - 1;
    while (data.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}

/**
 * @param text content of a JSON string, without its quotes
 * @returns undefined if it is not valid JSON
 */
function decoded(text: string): string | undefined {
  try {
    return parseChecked(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}

const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39;

/** Copies the text. A slice is slower to compare and would keep the string it was cut from in memory. */
const flatCopy = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');
