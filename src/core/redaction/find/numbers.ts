import { isAlnum, isDigit, isGap, isLetter } from './classes.ts';
import { cardLengths, isCard, maxCardLength } from './cards.ts';
import { Cursors } from './cursors.ts';
import { Hits, type Kind, type NamedPattern } from './hits.ts';
import { endOfIban } from './ibans.ts';
import { endOfPhone } from './phones.ts';
import { hasWideDigits, Narrow } from '../texts/narrow.ts';

/** Maximum characters of one run of digits and gaps. A longer run is a table or a dump, and is checked in pieces of this size. */
const longestRun = 96;

/** Finds phone numbers, account numbers and card numbers. Each of them has seven digits in a row, with gaps. */
export function findNumbers(cursors: Cursors, from: number, to: number, wanted: NumberSearch, hits: Hits): void {
  let least = from;
  for (let at = cursors.digits(from); at < to; at = cursors.digits(least))
    least = checkRun(cursors.text, at, { from, to, least }, wanted, hits);
}

export interface NumberSearch {
  readonly patterns: ReadonlySet<NamedPattern>;
  /** Name of the member that contains the text, or empty. */
  readonly name: string;
}

/** Finds phone, account and card numbers with full-width digits, which are equal to others by Unicode normalization (NFKC). */
export function findWideNumbers(cursors: Cursors, from: number, to: number, wanted: NumberSearch, hits: Hits): void {
  if (cursors.wide(from) >= to) return;
  const raw = cursors.text.slice(from, to);
  if (!hasWideDigits(raw)) return;
  const narrow = new Narrow(raw);
  const found = new Hits();
  findNumbers(new Cursors(narrow.text), 0, narrow.text.length, wanted, found);
  for (let i = 0; i < found.count; i += 1)
    hits.add(found.kinds[i] as Kind, from + narrow.of(found.from[i] as number), from + narrow.of(found.to[i] as number));
}

interface Bounds {
  readonly from: number;
  /** End of the previous run. */
  readonly least: number;
  readonly to: number;
}

/** Offsets of a run of digits and gaps. */
interface Run extends Bounds {
  readonly start: number;
  readonly end: number;
}

/** Checks the run around a digit, and returns its end. */
function checkRun(text: string, at: number, bounds: Bounds, wanted: NumberSearch, hits: Hits): number {
  const { to } = bounds;
  if (wanted.patterns.has('iban')) {
    const end = findIban(text, at, bounds, hits);
    if (end > 0) return end;
  }
  const least = Math.max(bounds.least, at - longestRun);
  let start = at;
  while (start > least && isPart(text, start - 1)) start -= 1;
  let end = at + 1;
  const most = Math.min(to, at + longestRun);
  while (end < most && isPart(text, end)) end += 1;
  findInRun(text, { ...bounds, start, end }, wanted, hits);
  return end;
}

/** Maximum characters before the digits of an IBAN: country, check digits and the letters of a bank, in groups. */
const longestLead = 14;

function findIban(text: string, at: number, { from, to }: Bounds, hits: Hits): number {
  for (let start = Math.max(from, at - longestLead); start <= at; start += 1) {
    if (!isLetter(text.charCodeAt(start)) || !isLetter(text.charCodeAt(start + 1))) continue;
    if (!isDigit(text.charCodeAt(start + 2)) || !isDigit(text.charCodeAt(start + 3))) continue;
    if (start > from && isAlnum(text.charCodeAt(start - 1)) && !isEscape(text, start - 1)) continue;
    const end = endOfIban(text, start, to);
    if (end < 0) continue;
    hits.add('iban', start, end);
    return end;
  }
  return -1;
}

const isPart = (text: string, at: number): boolean => {
  const c = text.charCodeAt(at);
  return isDigit(c) || c === 0x2b || isGap(c);
};

/** The letter of a JSON escape inside a text: `\n`. */
const isEscape = (text: string, at: number): boolean => text[at - 1] === '\\';

/** Tries each start of a group of digits. Cards are tried first, because they have a checksum. */
function findInRun(text: string, { start, end, from, to }: Run, { patterns, name }: NumberSearch, hits: Hits): void {
  const run = text.slice(start, end);
  const before = start === from ? name : text.slice(Math.max(from, start - 28), start);
  let last = -1;
  for (let at = 0; at < run.length; ) {
    const c = run.charCodeAt(at);
    const begins = (isDigit(c) && !isDigit(run.charCodeAt(at - 1))) || c === 0x2b || (c === 0x28 && isDigit(run.charCodeAt(at + 1)));
    const absolute = start + at;
    const isHere = begins && (mayBeginAt(text, absolute, from) || hits.ends.has(absolute));
    // A card number is not part of an amount: a comma separates it from other cells of a table.
    if (isHere || (begins && text.charCodeAt(absolute - 1) === 0x2c)) {
      const card = patterns.has('credit_card') ? endOfCard(run, at) : -1;
      const phone = isHere && card < 0 && patterns.has('phone') && !isMiddleOfNumber(run, at, last) ? endOfPhone(run, at, before) : -1;
      const found = Math.max(card, phone);
      if (found > 0 && mayEndAt(text, start + found, to, card < 0 && isDigit(c) && c !== 0x30)) {
        hits.add(card > 0 ? 'credit_card' : 'phone', absolute, start + found);
        at = found;
        last = found;
        continue;
      }
    }
    at += 1;
  }
}

/** True for a group in the middle of a longer number, such as an account number. @param last end of the previous match */
function isMiddleOfNumber(run: string, at: number, last: number): boolean {
  const c = run.charCodeAt(at - 1);
  if (last === at - 1 || (c !== 0x20 && c !== 0x2d) || !isDigit(run.charCodeAt(at))) return false;
  return isDigit(run.charCodeAt(at - 2)) && isDigit(run.charCodeAt(at - 3)) && isDigit(run.charCodeAt(at - 4));
}

/** The end of the longest card number that begins here, with its groups separated by a blank or a dash. */
function endOfCard(run: string, from: number): number {
  let digits = '';
  let found = -1;
  let lengths = -1;
  for (let at = from; at < run.length && digits.length < maxCardLength; at += 1) {
    const c = run.charCodeAt(at);
    if (isDigit(c)) digits += run[at];
    else if (!isGap(c) || c === 0x2f || c === 0x28 || c === 0x29) break;
    else if (isGap(run.charCodeAt(at - 1)) && c < 0x80) break;
    if (digits.length < 6 || !isDigit(c)) continue;
    if (lengths < 0) lengths = cardLengths(Number(digits));
    if (lengths === 0) break;
    if (((lengths >> digits.length) & 1) === 1 && !isDigit(run.charCodeAt(at + 1)) && isCard(digits)) found = at + 1;
  }
  return found;
}

/** True if the number does not begin in the middle of a word, a number, an amount, a path or an id. */
function mayBeginAt(text: string, at: number, from: number): boolean {
  if (at === from) return true;
  const c = text.charCodeAt(at - 1);
  if (isLetter(c)) return isEscape(text, at - 1);
  if (isDigit(c) || c === 0x5f || c === 0x24 || c === 0x23 || c === 0x2b) return false;
  if (c !== 0x2d && c !== 0x2e && c !== 0x2f && c !== 0x2c) return true;
  // A dash, dot or slash may belong to the text before it.
  const before = at - 2 < from ? 0x20 : text.charCodeAt(at - 2);
  // A comma only to an amount, which does not begin with a sign.
  if (c === 0x2c) return !isDigit(before) || !isDigit(text.charCodeAt(at));
  return c === 0x2f
    ? !isAlnum(before) || (isLetter(before) && !/[/.]\w*\/$/.test(text.slice(Math.max(from, at - 24), at)))
    : !isAlnum(before);
}

/** @param mayBeAmount a comma and digits may follow, which belong to it */
function mayEndAt(text: string, at: number, to: number, mayBeAmount: boolean): boolean {
  if (at >= to) return true;
  const c = text.charCodeAt(at);
  if (isAlnum(c) || c === 0x5f || c === 0x25) return false;
  if (c !== 0x2d && c !== 0x2e && c !== 0x2c) return true;
  if (c === 0x2c) return !(mayBeAmount && at + 1 < to && isDigit(text.charCodeAt(at + 1)));
  return at + 1 >= to || !isAlnum(text.charCodeAt(at + 1));
}
