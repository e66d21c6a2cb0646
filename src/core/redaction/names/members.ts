import { afterColon, endOfString } from '../json-traversal.ts';
import { codeForm, namesPass, namesSecret } from './member-names.ts';
import { isPassword, isSecretNumber } from './values.ts';

const quote = 0x22;
/** Maximum characters of a value that is read. */
const longestValue = 1024;

/**
 * True if the value of a member is a secret because of its name and its form: a number, the password of `pass`, a PIN.
 *
 * @param nameEnd offset of the closing quote of its name in the text of a body
 */
export function isSecretMember(name: string, text: string, nameEnd: number): boolean {
  const start = afterColon(text, nameEnd + 1, text.length);
  const most = Math.min(text.length, start + longestValue);
  const isQuoted = text.charCodeAt(start) === quote;
  const value = isQuoted ? text.slice(start + 1, endOfString(text, start + 1, most)) : numberAt(text.slice(start, most));
  if (codeForm(name)?.test(value) === true) return true;
  return isQuoted ? namesPass(name) && isPassword(value) : namesSecret(name) && isSecretNumber(value);
}

/** The digits of a whole number; empty for another one. */
const numberAt = (text: string): string => /^(\d{1,64})\s*[,}\]]/.exec(text)?.[1] ?? '';
