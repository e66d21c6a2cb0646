import { isEscapeLetter } from '../find/classes.ts';
import type { Cursors } from '../find/cursors.ts';
import type { Hits } from '../find/hits.ts';
import { mayBeMasked, namesSecret, normalizedName } from './member-names.ts';
import { endOfQuoted, isQuote, longestValue } from './pairs.ts';
import { isSecret, isWordWithSign } from './values.ts';

/** Maximum characters of a function's name. */
const longestName = 48;
/** Maximum backslashes before a quote in JSON inside a text. */
const maxBackslashes = 16;

/** Functions that store their argument. The argument of others, such as `getSecret`, is a name. */
const setter = /^(?:set|with|use|add)_(?!.*cookie$)/;
/** Functions for HTTP basic authentication: `HTTPBasicAuth('user', 'password')`. */
const basicAuth = /basic_?auth$/;
/** Methods of builders. */
const builder = /^(?:(?:client|db|user)_)?(?:password|passwd|passphrase|(?:access|api|private|secret)_key|(?:access|auth|bearer)_token)$/;

/** Finds the text passed to a function whose name indicates a secret: `setPassword("…")`, `.withApiKey('…')`. */
export function findPassedSecrets(cursors: Cursors, from: number, to: number, hits: Hits): void {
  const { text } = cursors;
  for (let at = cursors.bracket(from); at < to; at = cursors.bracket(at + 1)) {
    if (!mayPassSecret(text, at)) continue;
    const name = nameBefore(text, Math.max(from, at - longestName), at);
    const first = argumentAt(text, at + 1, to);
    if (first === undefined) continue;
    if (basicAuth.test(normalizedName(name))) addPassword(text, first.end, to, hits);
    else if (isPassed(text, name, at, first)) hits.add('secret', first.start, first.end);
  }
}

/** A fast check of the name and the first character of the argument. */
export function mayPassSecret(text: string, bracket: number): boolean {
  const c = text.charCodeAt(bracket + 1);
  return (isQuote(c) || c === 0x5c) && mayBeMasked(text, bracket);
}

interface Argument {
  readonly start: number;
  readonly end: number;
}

function isPassed(text: string, name: string, bracket: number, { start, end }: Argument): boolean {
  if (!namesSecret(name) || !/^[\\"'`]{1,16}\s{0,2}\)/.test(text.slice(end, end + maxBackslashes + 4))) return false;
  const value = text.slice(start, end);
  if (setter.test(normalizedName(name))) return isWordWithSign(value) && !value.includes('${');
  const isBuilder = text[bracket - name.length - 1] === '.' && builder.test(normalizedName(name));
  return isBuilder && isSecret(value, true) && !value.includes('${');
}

function nameBefore(text: string, from: number, to: number): string {
  let start = to;
  while (start > from && /\w/.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start < to && isEscapeLetter(text, start) ? start + 1 : start, to);
}

/** The text in quotes at an offset; undefined for other arguments. */
function argumentAt(text: string, at: number, to: number): Argument | undefined {
  let quote = at;
  while (quote < at + maxBackslashes && text[quote] === '\\') quote += 1;
  if (quote >= to || !isQuote(text.charCodeAt(quote))) return undefined;
  const start = quote + 1;
  return { start, end: endOfQuoted(text, start, start, Math.min(to, start + longestValue)) };
}

/** The second argument. @param end end of the first one, before its quote */
function addPassword(text: string, end: number, to: number, hits: Hits): void {
  const comma = /^[\\"'`]{1,16}\s{0,2},\s{0,2}/.exec(text.slice(end, Math.min(to, end + maxBackslashes + 8)))?.[0];
  const second = comma === undefined ? undefined : argumentAt(text, end + comma.length, to);
  if (second !== undefined && isWordWithSign(text.slice(second.start, second.end))) hits.add('secret', second.start, second.end);
}

/** `auth=("user", "password")`. @param sign offset of the equals sign */
export function addLoginPair(text: string, sign: number, to: number, hits: Hits): void {
  const lead = /^=\s?\(/.exec(text.slice(sign, Math.min(to, sign + 3)))?.[0];
  const first = lead === undefined ? undefined : argumentAt(text, sign + lead.length, to);
  if (first !== undefined) addPassword(text, first.end, to, hits);
}
