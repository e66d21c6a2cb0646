import type { Cursors } from '../find/cursors.ts';
import type { Hits } from '../find/hits.ts';
import { mayBeMasked, namesPass, namesSecret } from './member-names.ts';
import { longestMember } from './pairs.ts';
import { isPassword, isSecretText } from './values.ts';

const open = '&lt;';
const endTag = '&lt;/';
const close = '&gt;';
const longestName = 64;

/** Finds the text of XML elements in XML or HTML that is escaped once more: `&lt;password&gt;…&lt;/password&gt;`. */
export function findEscapedTags(cursors: Cursors, from: number, to: number, hits: Hits): void {
  const { text } = cursors;
  for (let at = cursors.escapedTag(from), least = from; at < to; at = cursors.escapedTag(at + 1)) {
    if (mayBeEscapedTag(text, at)) addContent(text, Math.max(least, at - longestMember), at, hits);
    least = at;
  }
}

/** True if the element that ends at `&lt;/` may have a secret as its text. */
export function mayBeEscapedTag(text: string, at: number): boolean {
  const end = at + endTag.length + nameAt(text, at).length;
  return mayBeMasked(text, end) && (namesSecret(localName(text, at)) || namesPass(localName(text, at)));
}

const nameAt = (text: string, at: number): string =>
  /^[\w.:-]*/.exec(text.slice(at + endTag.length, at + endTag.length + longestName))?.[0] ?? '';

function localName(text: string, at: number): string {
  const name = nameAt(text, at);
  return name.slice(name.lastIndexOf(':') + 1);
}

/** White space, or the JSON escape of it, around a text. */
const outerBlanks = /^(?:\s|\\[nrt]){1,64}|(?<!\s|\\[nrt])(?:\s|\\[nrt]){1,64}$/g;

function addContent(text: string, from: number, at: number, hits: Hits): void {
  const before = text.slice(from, at);
  const end = before.lastIndexOf(close);
  const start = before.lastIndexOf(open, end);
  const name = nameAt(text, at);
  if (start < 0 || end < start || !before.startsWith(name, start + open.length)) return;
  if (!/^(?:&gt;|[\s/])/.test(before.slice(start + open.length + name.length, start + open.length + name.length + close.length))) return;
  const content = before.slice(end + close.length);
  const value = content.replaceAll(outerBlanks, '');
  const isOne = namesSecret(localName(text, at)) ? isSecretText(value) : isPassword(value);
  const first = from + end + close.length + content.indexOf(value);
  if (value !== '' && isOne && !value.includes(open)) hits.add('secret', first, first + value.length);
}
