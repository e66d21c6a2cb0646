import type { Hits } from '../find/hits.ts';
import { namesPass, namesSecret } from './member-names.ts';
import { longestValue, type TextRange } from './pairs.ts';
import { hasLetterAndDigit, isPaddedBase64, isPasswordWord, isSecret, isSecretText, isWordWithSign, placeholderPattern } from './values.ts';

/** A name, a sign and a value. */
export interface Setting {
  readonly text: string;
  readonly sign: number;
  readonly endOfName: number;
  readonly name: string;
  /** Offset of the value, without its quote and its scheme. */
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
  readonly range: TextRange;
}

/** The word `pass` as a name, and not at the end of a sentence such as `the second pass: …`. */
const passName = /(?:(?:^|[^\w\s./]|[\n\r]|\\[nrt])[ \t]{0,16}|-pass(?:in|out)? )pass$/i;
const passBeforeEquals = /(?:^|[^\w./]|\\[nrt])pass$/i;

/** @param isJoined true if an equals sign follows directly */
export const isPassName = (before: string, isJoined: boolean): boolean => (isJoined ? passBeforeEquals : passName).test(before);

/** The signature of a request or of a URL, such as `X-Amz-Signature` and `sig`. */
export const isSignatureName = (before: string): boolean => signature.test(before);
const signature = /(?:^|[^\w-]|\\[nrt])(?:sig|(?:x-(?:amz|goog|oss|obs|tos|cos)-)?signature)$/i;
const signatureValue = /^[\w%+/=~.-]{16,}$/;
const hexSignature = /^[0-9a-f]{64}$/;

/** Names of secrets that are words of their own: their values need not have a digit where the context leaves no doubt. */
const passwordName = /(?:password|passwd|passphrase|passcode|pwd|pass)$/i;

/** Adds the value of a setting in a text if its form or its context is that of a secret. */
export function addSetting(setting: Setting, value: string, hasScheme: boolean, hits: Hits): void {
  const { text, endOfName, start, end } = setting;
  if (isCookies(setting)) {
    const last = endOfCookies(setting);
    if (isSecret(text.slice(start, last), setting.isQuoted)) hits.add('secret', start, last);
  } else if (isSignatureName(text.slice(Math.max(setting.range.from, endOfName - longestName), endOfName))) {
    if (isSignature(setting, value)) hits.add('secret', start, end);
  } else if (text.startsWith('&quot;', start) || text.startsWith('&#34;', start)) addEscaped(setting, hits);
  else if (isSecretValue(setting, value, hasScheme) || isInContext(setting, value)) hits.add('secret', start, end);
}

function isSecretValue({ text, sign, name, isQuoted, range }: Setting, value: string, hasScheme: boolean): boolean {
  // `pass` is also the result of a test, in words.
  if (namesPass(name) && /\s/.test(value)) return false;
  if (isSecret(value, isQuoted) || isPaddedBase64(value)) return true;
  if (hasScheme && isPasswordWord(value, 5)) return true;
  if (isQuoted && text[sign] === '=' && isWordWithSign(value) && isInTag(text, sign, range.from)) return true;
  return passwordName.test(name) && /^\d{6,12}$/.test(value);
}

/** Maximum characters of a name, of a tag up to an attribute, and of the setting before another one. */
const longestName = 32;
const longestTag = 256;
const longestSetting = 160;

/** True for an attribute of an XML element. */
const isInTag = (text: string, sign: number, from: number): boolean =>
  /<[A-Za-z][^<>]*$/.test(text.slice(Math.max(from, sign - longestTag), sign));

/** An attribute of an XML element that is escaped for HTML: `password=&quot;…&quot;`. */
function addEscaped({ text, start, range }: Setting, hits: Hits): void {
  const from = text.indexOf(';', start) + 1;
  const value = /^[^\s"'<>&;\\]*/.exec(text.slice(from, Math.min(range.to, from + longestValue)))?.[0] ?? '';
  if (isWordWithSign(value) && hasLetterAndDigit(value)) hits.add('secret', from, from + value.length);
}

const isCookies = ({ text, sign, name, start }: Setting): boolean =>
  text[sign] === ':' && /cookie$/i.test(name) && /^[\w.-]{1,64}=/.test(text.slice(start, start + 66));

/** A client sends several cookies in one line, a server one of them with attributes. */
function endOfCookies({ text, name, start, end, isQuoted, range }: Setting): number {
  if (isQuoted || /set-?cookie$/i.test(name)) return end;
  const line = text.slice(start, Math.min(range.to, start + longestCookies));
  return start + (/^[\w.-]+=[^\s;"'\\]*(?:;\s?[\w.-]+=[^\s;"'\\]*)*/.exec(line)?.[0].length ?? end - start);
}
const longestCookies = 4096;

/** @param value of a parameter, or the signature of a header, which is hexadecimal */
const isSignature = (setting: Setting, value: string): boolean =>
  isJoined(setting) && signatureValue.test(value) && hasLetterAndDigit(value) && (isParameter(setting) || hexSignature.test(value));

const isJoined = ({ text, sign, endOfName }: Setting): boolean => text[sign] === '=' && sign === endOfName;

/** True for `&name=value` and `?name=value`, and for the first parameter of a form, which another one follows. */
function isParameter({ text, end, endOfName, name }: Setting): boolean {
  const before = text[endOfName - name.length - 1];
  if (before === '?' || before === '&' || text.startsWith('&amp;', endOfName - name.length - 5)) return true;
  return text[end] === '&' && /^&[\w.-]{1,64}=/.test(text.slice(end, end + 66));
}

/** True for a parameter, in a connection string, and for a variable of the environment. */
function isInContext(setting: Setting, value: string): boolean {
  const { name } = setting;
  if (setting.text[setting.sign] !== '=' || !isPlainValue(value)) return false;
  if (isJoined(setting) && isParameter(setting)) return namesSecret(name) || namesPass(name);
  return passwordName.test(name) && (isInConnection(setting) || (isJoined(setting) && isVariable(setting)));
}

/** One word, and neither a placeholder nor program code. */
const isPlainValue = (value: string): boolean =>
  value.length >= 4 && isSecretText(value) && !/[()[\]{}<>$|`]|^[/.~]/.test(value) && !placeholderPattern.test(value) && !word.test(value);

const word =
  /^(?:change_?me|dummy|empty|example|false|none|null|pass|passw(?:or)?d|placeholder|redacted|required|secret|string|test|todo|true|undefined|unset|value|(?:your|my|the|new|user|db|input)[\w-]*|x{3,})$/i;

/** Names of the other parts of a connection string, before an equals sign. */
const otherPart =
  /(?:^|[^\w.])(?:user ?id|uid|user(?:name)?|server|data source|host(?:name)?|port|db(?:name)?|database|initial catalog|endpoint|sslmode)\s?$/i;
const partValue = /^\s?[^;=\s"'(){}]{1,128};\s?$/;
const partBeforeBlank = /^[^;=\s"'(){}]{1,128}\s$/;

/** True after another part of a connection string: `User Id=sa;Password=…`, `user=jo password=…`. */
function isInConnection(setting: Setting): boolean {
  const { text, endOfName, name, range } = setting;
  const start = endOfName - name.length;
  const before = text.slice(Math.max(range.from, start - longestSetting), start);
  const equals = before.lastIndexOf('=');
  const value = before.slice(equals + 1);
  const isPart = partValue.test(value) || (isJoined(setting) && setting.start <= setting.sign + 2 && partBeforeBlank.test(value));
  return equals > 0 && isPart && otherPart.test(before.slice(Math.max(0, equals - longestName), equals));
}

/** A line of a file such as `.env`: `DB_PASSWORD=…`. */
const variable = /(?:^|[\n"]|\\n|(?:export|env|ENV|-e|set) )[A-Z][A-Z0-9_]*$/;

const isVariable = ({ text, endOfName, name, range }: Setting): boolean =>
  name !== 'PWD' && variable.test(text.slice(Math.max(range.from, endOfName - name.length - 8), endOfName));
