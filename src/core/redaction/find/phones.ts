import { readable } from '../texts/unicode.ts';
import { isAlnum, isDigit, isGap } from './classes.ts';
import type { Cursors } from './cursors.ts';
import type { Hits } from './hits.ts';

/** Country calling codes (ITU-T E.164), as far as two digits distinguish them. */
const callingCode = String.raw`(?:1|7|20|27|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|2[1-69]\d|3[578]\d|42\d|5[09]\d|6[789]\d|8[0578]\d|9[679]\d)`;

/** Separators between groups of digits: up to three characters, some of which have several bytes in one-byte text. */
const gap = String.raw`[^\d+]{1,5}`;
const optionalGap = String.raw`[^\d+]{0,5}`;
/** Brackets surround only the first digits. A bracket later begins another number. */
const laterGap = String.raw`[^\d+(]{0,5}`;

/**
 * Numbers recognized by their form alone, each matched from its first character. Forms that could also be an order
 * number, a date, an amount or an IP address are not included; those numbers are found only after a word such as "phone".
 */
const formats: readonly { readonly form: RegExp; readonly least: number; readonly most: number }[] = [
  // +49 30 123456, +1 (555) 010-9999, +4915112345678
  { form: new RegExp(String.raw`\+${optionalGap}[1-9](?:${optionalGap}\d){5}(?:${laterGap}\d){1,9}(?!\d)`, 'y'), least: 8, most: 15 },
  // 0049 30 123456
  {
    form: new RegExp(String.raw`00${optionalGap}${callingCode}(?:${optionalGap}\d){5}(?:${laterGap}\d){2,7}(?!\d)`, 'y'),
    least: 11,
    most: 16,
  },
  // (555) 123-4567, 555-123-4567, 1-800-555-0199
  { form: new RegExp(String.raw`(?:1${gap})?\(?[2-9]\d{2}${gap}[2-9]\d{2}${gap}\d{4}(?!\d)`, 'y'), least: 10, most: 11 },
  // 030 1234567, 0171/1234567, 01 23 45 67 89, (020) 7946 0958, 03-1234-5678
  { form: new RegExp(String.raw`\(?0[1-9]\d{0,4}${gap}\d{2,8}(?:[^\d+(]{1,5}\d{2,8}){0,4}(?!\d)`, 'y'), least: 8, most: 13 },
  // (11) 91234-5678
  { form: new RegExp(String.raw`\(\d{2,4}\)${optionalGap}\d{3,5}${gap}\d{3,5}(?!\d)`, 'y'), least: 9, most: 13 },
  // 98765 43210, 138 0013 8000
  { form: new RegExp(String.raw`[6-9]\d{4}${gap}\d{5}|1[3-9]\d${gap}\d{4}${gap}\d{4}`, 'y'), least: 10, most: 11 },
  // 015112345678, 07700900123, 0612345678: mobile numbers in one piece
  { form: /01[567]\d{8,9}|07\d{9}|0[67]\d{8}/y, least: 10, most: 12 },
];

const announcedPhone = new RegExp(String.raw`[(+]{0,2}\d(?:${optionalGap}\d){5,14}(?!\d)`, 'y');

/** Words that indicate a phone number, shortly before it. */
const phoneTerm =
  /(?:phone|tele?fono?|telephone|mobile?|mobil[a-z]*|cell(?:ular)?|fax|whatsapp|sms|handy|rufnummer|m[oó]vil|portable|电话|電話|手机|тел[а-я]*)(?:[\s_-]?(?:number|num|no|nr|nummer))?["'\s.:=()#_-]{0,6}$/i;
/** Words that are also the end of longer ones ("hotel", "recall"). They count alone or as the second part of a name (`homeTel`). */
const shortPhoneTerm =
  /(?:(?<![A-Za-z])(?:[Tt][eé]l|TEL|(?:[Cc]all|CALL)(?: me)?(?: at| on)?)|(?<=[a-z])(?:Tel|Call))(?:[\s_-]?(?:[Nn]umber|[Nn]um|[Nn]o|[Nn]r|[Nn]ummer))?["'\s.:=()#_-]{0,6}$/;

/** True if the text ends with such a word. */
export function announcesPhone(before: string): boolean {
  const { text } = readable(before);
  return phoneTerm.test(text) || shortPhoneTerm.test(text);
}

const calendar = /^\(?(?:\d{4}[-./ ]\d{1,2}[-./ ]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d\d)(?!\d)/;
const address = /^\d{1,3}(?:\.\d{1,3}){3}(?!\d)/;

/**
 * The end of the phone number that begins at `at`, within a run of digits and gaps; -1 if none does.
 *
 * @param before text before the run, or the name of the member that contains it
 */
export function endOfPhone(run: string, at: number, before: string): number {
  if (at > 2 && !mayBegin(run, at)) return -1;
  const rest = run.slice(at, at + 40);
  if (address.test(rest)) return -1;
  const isDate = calendar.test(rest);
  for (const { form, least, most } of formats) {
    if (isDate) break;
    form.lastIndex = at;
    const end = form.test(run) ? form.lastIndex : -1;
    if (end > 0 && !isDigitAt(run, end)) {
      const count = digitsIn(run, at, end);
      if (count >= least && count <= most) return end;
    }
  }
  if (at > 2 || !announcesPhone(before)) return -1;
  announcedPhone.lastIndex = at;
  return announcedPhone.test(run) && !isDigitAt(run, announcedPhone.lastIndex) ? announcedPhone.lastIndex : -1;
}

/** Maximum characters of a phone number in a URL. */
const longestCoded = 80;

/** URL escapes of the separators between digits. */
const encodedGaps: Readonly<Record<string, string>> = { '%20': ' ', '%28': '(', '%29': ')', '%2D': '-', '%2E': '.', '%2F': '/' };

/** Finds international numbers in URLs: `%2B49+30+1234567`, where a blank is `+` or `%20`. */
export function findEncodedPhones(cursors: Cursors, from: number, to: number, hits: Hits): void {
  for (let at = cursors.plus(from); at < to; at = cursors.plus(at + 1)) {
    const before = cursors.text.slice(Math.max(from, at - 3), at);
    if (isAlnum(before.charCodeAt(before.length - 1)) && !/^%[\da-f]{2}$/i.test(before)) continue;
    const end = endOfEncoded(cursors.text, at, Math.min(to, at + longestCoded));
    if (end > 0 && !(end < to && /\w/.test(cursors.text.charAt(end)))) hits.add('phone', at, end);
  }
}

/** The end of the number whose plus sign is at `at`; -1 if no number begins there. */
function endOfEncoded(text: string, at: number, to: number): number {
  let run = '+';
  const ends = [at + 3];
  for (let next = at + 3; next < to; ends.push(next)) {
    const coded = encodedGaps[text.slice(next, next + 3).toUpperCase()];
    const c = text.charCodeAt(next);
    if (coded === undefined && c !== 0x2b && !isDigit(c) && !isGap(c)) break;
    run += coded ?? (c === 0x2b ? ' ' : text.charAt(next));
    next += coded === undefined ? 1 : 3;
  }
  return ends[endOfPhone(run, 0, '') - 1] ?? -1;
}

/** Every form that begins with 1 to 9 has three digits in a row; after a leading 1, a gap may come first. */
function mayBegin(run: string, at: number): boolean {
  const c = run.charCodeAt(at);
  if (c < 0x31 || c > 0x39) return true;
  if (isDigitAt(run, at + 1)) return isDigitAt(run, at + 2);
  if (c !== 0x31) return false;
  let next = at + 1;
  while (next < at + 8 && !isDigitAt(run, next)) next += 1;
  return isDigitAt(run, next + 1) && isDigitAt(run, next + 2);
}

const isDigitAt = (text: string, at: number): boolean => isDigit(text.charCodeAt(at));

function digitsIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) if (isDigitAt(text, at)) count += 1;
  return count;
}
