import { Hits } from '../find/hits.ts';
import { type PatternBudget, findAll, passage, rangesOf } from '../find/text.ts';
import { beginsLikeKey } from '../find/issued.ts';
import { isDigit, isLetter } from '../find/classes.ts';
import { mayNameSecret } from '../names/member-names.ts';
import type { RedactionRules } from '../rules.ts';

/** Minimum length of a number, and of another value, that joining may hide. */
export const shortestNumber = 7;
const shortestValue = 12;
const blank = 0x20;
const nine = 0x39;

/**
 * True if a piece of a text must be searched on its own, too: if the pieces are texts of their own, a value at the
 * beginning or the end of one may be next to letters or digits of another.
 *
 * @param before the previous piece, or empty
 * @param after the next piece, or empty
 */
export function isSearchedAlone(piece: string, name: string, before: string, after: string): boolean {
  const { length } = piece;
  if (length < shortestNumber) return false;
  const first = piece.charCodeAt(0);
  // A digit, a plus sign or a bracket: the name of the member may indicate a phone number.
  if (first > blank && first <= nine) return true;
  if (length < shortestValue) return false;
  if (mayNameSecret(name)) return true;
  return (
    (mayBeginValue(piece, first) && before.charCodeAt(before.length - 1) > blank) || (mayEndValue(piece) && after.charCodeAt(0) > blank)
  );
}

/** A key, an account number, or the scheme of a credential. */
const mayBeginValue = (piece: string, first: number): boolean =>
  beginsLikeKey(first, piece.charCodeAt(1), piece.charCodeAt(2)) ||
  isDigit(piece.charCodeAt(2)) ||
  ((first | blank) === 0x62 && scheme.test(piece));

const scheme = /^(?:bearer|basic)/i;

/** Values that end only where no letter or digit follows end with a digit or a capital letter. */
function mayEndValue(piece: string): boolean {
  const last = piece.charCodeAt(piece.length - 1);
  return isDigit(last) || (isLetter(last) && last < 0x61);
}

/** Pieces up to this length are searched as a whole. Of longer ones, at least this many characters at each end. */
const longestWhole = 512;
const longestEnd = 256;

/** Searches pieces on their own. */
export class PieceSearch {
  readonly #rules: RedactionRules;
  readonly #effort: PatternBudget;

  /** The operator's patterns are matched against the joined text only. */
  constructor(rules: RedactionRules, effort: PatternBudget) {
    this.#rules = rules.own.length === 0 ? rules : { ...rules, own: [] };
    this.#effort = effort;
  }

  /** Adds the values in a piece. @param offset of the piece in the joined text */
  find(piece: string, name: string, offset: number, hits: Hits): void {
    if (piece.length <= longestWhole) {
      this.#range({ ...passage(piece, name), to: piece.length }, offset, hits);
      return;
    }
    const head = blankFrom(piece, longestEnd);
    const tail = piece.lastIndexOf(' ', piece.length - longestEnd) + 1;
    this.#range({ ...passage(piece, name), to: head }, offset, hits);
    if (head < piece.length) this.#range({ ...passage(piece, ''), from: Math.max(head, tail) }, offset, hits);
  }

  #range(part: ReturnType<typeof passage>, offset: number, hits: Hits): void {
    const found = new Hits();
    findAll(part, this.#rules, this.#effort, found);
    for (const { from, to, kind, words } of rangesOf(found)) hits.add(kind, offset + from, offset + to, words);
  }
}

function blankFrom(text: string, from: number): number {
  const at = text.indexOf(' ', from);
  return at < 0 ? text.length : at;
}
