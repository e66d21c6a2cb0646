import { mayBeMasked, namesSecret } from './member-names.ts';
import {
  type TextRange,
  endOfQuoted,
  endOfWord,
  isBetween,
  isQuote,
  isValueOfSecret,
  longestMember,
  longestValue,
  maxBetween,
  valueAfter,
} from './pairs.ts';
import type { Cursors } from '../find/cursors.ts';
import type { Hits } from '../find/hits.ts';
import { findWholeKey } from '../find/keys.ts';

/** Names that indicate that a secret follows, at the end of the text before `:` or `=`. */
const secretNameEnd =
  /(?:api[_ -]?key|access[_ -]?key|account[_-]?key|secret(?:[_ -]?key)?|[_-]token|(?:auth|access)[_ -]?token|passw(?:or)?d|passwd|[_-]pass|pwd|private[_ -]?key|authorization)$/i;
/** Maximum characters of such a name. */
const longestName = 32;
/** Minimum characters of a text with such a name, and of a value. */
const shortestText = 12;
const shortestValue = 8;

/** Precedes a credential (RFC 9110 11.4). */
const scheme = /^(?:apikey|basic|bearer|digest|token)(?:\s+|%20)/i;

/** Finds values whose name indicates a secret, whatever characters they have: `password: P@ssw0rd!`, and members of JSON inside a text. */
export function findNamedSecrets(cursors: Cursors, from: number, to: number, hits: Hits): void {
  if (to - from < shortestText) return;
  const { text } = cursors;
  for (let at = cursors.sign(from); at < to; at = cursors.sign(at + 1)) {
    const end = endOfName(text, at, from);
    if (end > from && isAnnounced(text, end, { from, to })) addValue(text, at, end, { from, to }, hits);
  }
}

/** True if a secret's name precedes the sign. */
export const isSecretNameBefore = (text: string, sign: number): boolean =>
  isAnnounced(text, endOfName(text, sign, 0), { from: 0, to: text.length });

function endOfName(text: string, sign: number, from: number): number {
  const least = Math.max(from, sign - maxBetween);
  let end = sign;
  while (end > least && (isBetween(text.charCodeAt(end - 1)) || text[end - 1] === ']' || text[end - 1] === '*')) end -= 1;
  return end;
}

const isAnnounced = (text: string, end: number, range: TextRange): boolean =>
  mayBeMasked(text, end) &&
  (secretNameEnd.test(text.slice(Math.max(range.from, end - longestName), end)) ||
    namesSecretAt(text, end, range) ||
    isTokenAt(text, end, range));

/** True for the word `token`, whose value is a secret only if it looks like one. */
const isTokenAt = (text: string, end: number, { from }: TextRange): boolean =>
  tokenName.test(text.slice(Math.max(from, end - longestName), end));
const tokenName = /(?:^|[^\w.-]|\\[nrt])(?<!(?:auth|access) )token$/i;

function namesSecretAt(text: string, end: number, range: TextRange): boolean {
  const word = lastWord(text, end);
  return namesSecret(word) || isValueOfSecret(text, end - word.length, end, range);
}

function addValue(text: string, sign: number, endOfName: number, range: TextRange, hits: Hits): void {
  const { to } = range;
  let start = valueAfter(text, sign, to);
  const isQuoted = isQuote(text.charCodeAt(start - 1));
  const isMember = isQuoted && isQuote(text.charCodeAt(sign - 1)) && namesSecretAt(text, endOfName, range);
  const opening = start;
  start += scheme.exec(text.slice(start, Math.min(to, start + longestName)))?.[0].length ?? 0;
  const end = isQuoted
    ? endOfQuoted(text, opening, start, Math.min(to, start + (isMember ? longestMember : longestValue)))
    : endOfWord(text, start, to);
  const value = text.slice(start, end);
  if (text[opening - 1] === '`' && value.includes('${')) return;
  if (isTokenAt(text, endOfName, range)) {
    findWholeKey(text, start, end, hits);
    return;
  }
  const isAttribute = isQuoted && !isMember && text[sign] === '=' && isInTag(text, sign, range.from);
  if (isMember ? !placeholderPattern.test(value) : isSecret(value, isQuoted) || (isAttribute && isWordWithSign(value)))
    hits.add('secret', start, end);
}

/** A placeholder of earlier masking, either by this module or of a header's credential. */
const placeholderPattern = /^(?:\[[a-z_]+\]|\*{3,})?$/;

/** True for an attribute of an XML element. */
const isInTag = (text: string, sign: number, from: number): boolean =>
  /<[A-Za-z][^<>]*$/.test(text.slice(Math.max(from, sign - longestTag), sign));
/** Maximum characters of a tag up to an attribute. */
const longestTag = 256;

/** One word that does not consist of letters only, and is no variable. */
const isWordWithSign = (value: string): boolean =>
  /^(?!\[[a-z_]+\]$|\*+$|[$%#]?\{|[$%@][\w(])\S*[^\sA-Za-z]\S*$/.test(value) && value.length >= 4;

const lastWord = (text: string, end: number): string => /[\w-]*$/.exec(text.slice(Math.max(0, end - longestName), end))?.[0] ?? '';

/** Secrets contain letters and digits. Other values, and those with brackets or a path, are probably program code. */
const isSecret = (value: string, isQuoted: boolean): boolean =>
  value.length >= shortestValue &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !/^[/.~]/.test(value) &&
  (isQuoted || !/[()[\]{}$]/.test(value));
