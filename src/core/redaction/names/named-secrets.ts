import { blockAfter, eachSecretData, isSecretData, mayBeData } from './blocks.ts';
import { addLoginPair } from './calls.ts';
import { codeForm, mayBeMasked, mayNameLogin, namesPass, namesSecret } from './member-names.ts';
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
import { isAlnum, isEscapeLetter } from '../find/classes.ts';
import type { Cursors } from '../find/cursors.ts';
import type { Hits } from '../find/hits.ts';
import { findWholeKey } from '../find/keys.ts';
import { addSetting, isPassName, isSignatureName, type Setting } from './settings.ts';
import { isLogin, isPassword, isSecretNumber, placeholderPattern } from './values.ts';

/** Names that indicate that a secret follows, at the end of the text before `:` or `=`. */
const secretNameEnd =
  /(?:api[_ -]?key|access[_ -]?key|account[_-]?key|secret(?:[_ -]?key)?|[_-]token|(?:auth|access)[_ -]?token|passw(?:or)?d|passwd|passwort|kennwort|senha|contrase(?:n|ñ|\u00c3\u00b1)a|mot de passe|[_-]pass|pwd|private[_ -]?key|authorization)$/i;
/** Maximum characters of such a name. */
const longestName = 32;
/** Minimum characters of a text with such a name. */
const shortestText = 12;

/** Precedes a credential (RFC 9110 11.4). */
const scheme = /^(?:apikey|basic|bearer|digest|token)(?:\s+|%20)/i;

/** Finds values whose name indicates a secret, whatever characters they have: `password: P@ssw0rd!`, and members of JSON inside a text. */
export function findNamedSecrets(cursors: Cursors, from: number, to: number, hits: Hits): void {
  if (to - from < shortestText) return;
  const { text } = cursors;
  const range = { from, to };
  for (let at = cursors.sign(from), endOfData = from; at < to; at = cursors.sign(at + 1)) {
    const end = endOfName(text, at, from);
    if (end > from && isAnnounced(text, end, at, range)) addValue(text, at, end, range, hits);
    else if (at >= endOfData && isSecretData(text, at, range))
      endOfData = eachSecretData(text, at, to, (first, last) => hits.add('secret', first, last));
  }
}

/** True if a secret may follow the sign because of what precedes it. */
export function isSecretNameBefore(text: string, sign: number): boolean {
  const end = endOfName(text, sign, 0);
  if (!mayBeMasked(text, end)) return mayBeData(text, sign) && isSecretData(text, sign, { from: 0, to: text.length });
  return isAnnounced(text, end, sign, { from: 0, to: text.length });
}

function endOfName(text: string, sign: number, from: number): number {
  const least = Math.max(from, sign - maxBetween);
  let end = sign;
  while (end > least && (isBetween(text.charCodeAt(end - 1)) || text[end - 1] === ']' || text[end - 1] === '*')) end -= 1;
  return end;
}

function isAnnounced(text: string, end: number, sign: number, range: TextRange): boolean {
  if (!mayBeMasked(text, end)) return false;
  const before = text.slice(Math.max(range.from, end - longestName), end);
  return (
    secretNameEnd.test(before) ||
    namesSecretAt(text, end, range) ||
    tokenName.test(before) ||
    isPassName(before, text[sign] === '=' && sign === end) ||
    isSignatureName(before) ||
    codeForm(lastWord(text, end)) !== undefined ||
    mayNameLogin(lastWord(text, end)) ||
    (isQuote(text.charCodeAt(sign - 1)) && namesPass(lastWord(text, end)))
  );
}

/** The word `token`, whose value is a secret only if it looks like one. */
const tokenName = /(?:^|[^\w.-]|\\[nrt])(?<!(?:auth|access) )token$/i;

function namesSecretAt(text: string, end: number, range: TextRange): boolean {
  const word = lastWord(text, end);
  return namesSecret(word) || isValueOfSecret(text, end - word.length, end, range);
}

function addValue(text: string, sign: number, endOfName: number, range: TextRange, hits: Hits): void {
  const block = text[sign] === ':' ? blockAfter(text, sign, range) : undefined;
  if (block !== undefined) {
    hits.add('secret', block.from, block.to);
    return;
  }
  const { to } = range;
  const opening = valueAfter(text, sign, to);
  const isQuoted = isQuote(text.charCodeAt(opening - 1));
  const isQuotedName = isQuote(text.charCodeAt(sign - 1));
  const isNamed = isQuotedName && namesSecretAt(text, endOfName, range);
  const schemeLength = scheme.exec(text.slice(opening, Math.min(to, opening + longestName)))?.[0].length ?? 0;
  const start = opening + schemeLength;
  const most = Math.min(to, start + (isNamed && isQuoted ? longestMember : longestValue));
  const end = isQuoted ? endOfQuoted(text, opening, start, most) : endOfWord(text, start, to);
  const value = text.slice(start, end);
  if (text[opening - 1] === '`' && value.includes('${')) return;
  const setting: Setting = { text, sign, endOfName, name: lastWord(text, endOfName), start, end, isQuoted, range };
  if (tokenName.test(text.slice(Math.max(range.from, endOfName - longestName), endOfName))) findWholeKey(text, start, end, hits);
  else if (mayNameLogin(setting.name)) addLogin(setting, value, hits);
  else if (isQuotedName && isMemberValue(setting, value, isNamed)) hits.add('secret', start, end);
  else if ((!isNamed || !isQuoted) && codeForm(setting.name) === undefined) addSetting(setting, value, schemeLength > 0, hits);
}

/** `{"auth": "…"}` of Docker, `_auth=…` of npm, `auth=("user", "password")`. */
function addLogin({ text, sign, start, end, range }: Setting, value: string, hits: Hits): void {
  if (isLogin(value)) hits.add('secret', start, end);
  else addLoginPair(text, sign, range.to, hits);
}

/** A member of JSON inside a text. */
const isMemberValue = ({ name, isQuoted }: Setting, value: string, isNamed: boolean): boolean =>
  isNamed
    ? isQuoted
      ? !placeholderPattern.test(value)
      : isSecretNumber(value)
    : (isQuoted && namesPass(name) && isPassword(value)) || codeForm(name)?.test(value) === true;

function lastWord(text: string, end: number): string {
  const least = Math.max(0, end - longestName);
  let start = end;
  while (start > least && isWordPart(text.charCodeAt(start - 1))) start -= 1;
  return text.slice(start < end && isEscapeLetter(text, start) ? start + 1 : start, end);
}

const isWordPart = (c: number): boolean => isAlnum(c) || c === 0x5f || c === 0x2d;
