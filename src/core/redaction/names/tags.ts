import { isAlnum } from '../find/classes.ts';
import type { Cursors } from '../find/cursors.ts';
import type { Hits } from '../find/hits.ts';
import { mayBeMasked, namesPass, namesSecret } from './member-names.ts';
import { longestMember } from './pairs.ts';
import { isPassword, isSecretText } from './values.ts';

/** `<pwd>1</pwd>` */
const shortestElement = 12;
/** Maximum characters of a tag's name, and of what precedes an element. */
const longestName = 64;
const longestLead = 256;

/** Elements whose attribute, or whose neighbour, is the name of their content. */
const namedElement = /^(?:string|value|entry|property|param|parameter|item|var|env|header|setting)$/i;
const nameAttribute = /\s(?:name|key|id)\s*=\s*["'\\]{1,8}([\w./-]{1,64})/i;
const nameElement = /<((?:\w+:)?(?:name|key))>\s*([\w./-]{1,64})\s*<\/\1>(?:\s|\\[nrt])*$/i;

/** Finds the text of XML elements whose name indicates a secret: `<password>…</password>`. */
export function findTaggedSecrets(cursors: Cursors, from: number, to: number, hits: Hits): void {
  if (to - from < shortestElement) return;
  const { text } = cursors;
  for (let at = cursors.endTag(from), least = from; at < to; at = cursors.endTag(at + 2)) {
    const end = endOfTagName(text, at + 2);
    if (mayNameTag(text, at + 2, end)) addContent(text, { from: Math.max(least, at - longestMember), to: at }, end, hits);
    least = at + 2;
  }
}

/** True if the element that ends at `</` may have a secret as its text. */
export function mayBeTaggedSecret(text: string, at: number): boolean {
  const end = endOfTagName(text, at + 2);
  return mayNameTag(text, at + 2, end) && (isNamedElement(text, at + 2, end) || namesSecretOrPass(localName(text, at + 2, end)));
}

const namesSecretOrPass = (name: string): boolean => namesSecret(name) || namesPass(name);

const mayNameTag = (text: string, from: number, end: number): boolean =>
  end > from && (mayBeMasked(text, end) || isNamedElement(text, from, end));

const isNamedElement = (text: string, from: number, end: number): boolean =>
  end - from <= 16 && namedElement.test(localName(text, from, end));

function endOfTagName(text: string, from: number): number {
  let end = from;
  while (end - from < longestName && isNamePart(text.charCodeAt(end))) end += 1;
  return end;
}

/** A letter, a digit, or one of `_ - . :` */
const isNamePart = (c: number): boolean => isAlnum(c) || c === 0x5f || c === 0x2d || c === 0x2e || c === 0x3a;

/** The name without the prefix of its namespace. */
function localName(text: string, from: number, end: number): string {
  const name = text.slice(from, end);
  return name.slice(name.lastIndexOf(':') + 1);
}

const cdata = '<![CDATA[';
const cdataEnd = ']]>';

/** @param range from the previous tag at the earliest, up to the end tag */
function addContent(text: string, { from, to }: { readonly from: number; readonly to: number }, endOfName: number, hits: Hits): void {
  const before = text.slice(from, to);
  const isCdata = before.endsWith(cdataEnd);
  const section = isCdata ? before.lastIndexOf(cdata) : before.length;
  const close = before.lastIndexOf('>', section - 1);
  const open = before.lastIndexOf('<', close);
  const name = text.slice(to + 2, endOfName);
  if (open < 0 || close < open || !before.startsWith(name, open + 1) || !/^[\s>/\\]/.test(before.slice(open + 1 + name.length))) return;
  const [start, end] = isCdata ? [section + cdata.length, before.length - cdataEnd.length] : [close + 1, before.length];
  const first = behindBlanks(before, start, end);
  const last = beforeBlanks(before, first, end);
  const value = before.slice(first, last);
  const isWord = isSecretText(value) && (isCdata || before.indexOf('<', first) < 0);
  const local = localName(text, to + 2, endOfName);
  if (isWord && (namesPass(local) ? isPassword(value) : namesContent(text, from + open, before.slice(open, close), local)))
    hits.add('secret', from + first, from + last);
}

/** White space may be written as JSON escapes. */
function behindBlanks(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && (text.charCodeAt(at) <= 0x20 || isBlankEscape(text, at))) at += text.charCodeAt(at) <= 0x20 ? 1 : 2;
  return Math.min(at, end);
}

function beforeBlanks(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && (text.charCodeAt(at - 1) <= 0x20 || isBlankEscape(text, at - 2))) at -= text.charCodeAt(at - 1) <= 0x20 ? 1 : 2;
  return Math.max(at, from);
}

const isBlankEscape = (text: string, at: number): boolean => text[at] === '\\' && /[nrt]/.test(text.charAt(at + 1));

function namesContent(text: string, open: number, tag: string, name: string): boolean {
  if (namesSecret(name)) return true;
  if (!namedElement.test(name)) return false;
  const inTag = nameAttribute.exec(tag.slice(0, longestLead))?.[1];
  const found = inTag ?? nameElement.exec(text.slice(Math.max(0, open - longestLead), open))?.[2];
  return found !== undefined && namesSecret(found);
}
