import { longestMember, type TextRange } from './pairs.ts';
import { isSecret } from './values.ts';

/** A line break, or its escape in JSON inside a text. */
const lineBreak = String.raw`(?:\r?\n|\\+r\\+n|\\+n)`;

/** The indicator of a block scalar (YAML 1.2, 8.1) at the end of its line. */
const indicator = new RegExp(String.raw`^[|>][+-]?\d?[+-]?[ \t]{0,8}${lineBreak}`);
/** Maximum characters of it. */
const longestIndicator = 48;

/** A line that is one word, and one that is empty. */
const wordLine = new RegExp(String.raw`([ \t]{0,64})([^\s"'\\]{1,4096})[ \t]{0,8}(?=${lineBreak}|["'\\]|$)`, 'y');
const emptyLine = new RegExp(String.raw`[ \t]{0,64}(?=${lineBreak})`, 'y');
const breakHere = new RegExp(lineBreak, 'y');
/** Spaces at the beginning of the line that ends here. */
const indentBefore = new RegExp(String.raw`(?:^|[\n"]|\\n)([ \t]{0,64})(?:- {1,8}){0,4}[\w.-]{0,64}["'\\]{0,4}[ \t]{0,8}$`);
const longestKey = 96;

/**
 * The text of a block scalar after the sign at `sign`, such as `password: >-` and indented lines. Undefined if there is none, and for
 * prose: each line of a secret is one word.
 */
export function blockAfter(text: string, sign: number, { from, to }: TextRange): TextRange | undefined {
  let start = sign + 1;
  while (start < to && text[start] === ' ') start += 1;
  if (text[start] !== '|' && text[start] !== '>') return undefined;
  const head = indicator.exec(text.slice(start, Math.min(to, start + longestIndicator)))?.[0];
  const key = indentBefore.exec(text.slice(Math.max(from, sign - longestKey), sign))?.[1];
  if (head === undefined || key === undefined) return undefined;
  const range = wordLines(text, start + head.length, key.length, Math.min(to, start + longestMember));
  return range !== undefined && isSecret(text.slice(range.from, range.to), true) ? range : undefined;
}

/** The lines from an offset on that are indented more than `least` and as deep as the first one; undefined if one has several words. */
function wordLines(text: string, from: number, least: number, most: number): TextRange | undefined {
  let at = from;
  let indent = -1;
  let first = -1;
  let last = -1;
  while (at < most) {
    if (matches(emptyLine, text, at) === undefined) {
      const line = matches(wordLine, text, at);
      const depth = line === undefined ? indentAt(text, at) : (line[1] as string).length;
      if (depth <= least || depth < indent) break;
      if (line === undefined) return undefined;
      indent = indent < 0 ? depth : indent;
      if (first < 0) first = at + depth;
      last = at + depth + (line[2] as string).length;
      at += line[0].length;
    } else at = emptyLine.lastIndex;
    if (matches(breakHere, text, at) === undefined) break;
    at = breakHere.lastIndex;
  }
  return first < 0 ? undefined : { from: first, to: last };
}

function indentAt(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end += 1;
  return end - at;
}

function matches(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Maximum characters between the kind of a manifest and its data. */
const longestManifest = 4096;
const secretKind = /kind: ["']?Secret(?!\w)/;
const dataKey = new RegExp(String.raw`(?:^|[\n"]|\\n)([ \t]{0,40})(?:data|stringData)$`);
const longestDataKey = 48;

/** A fast check of the last letters of `data` and `stringData`. */
export const mayBeData = (text: string, sign: number): boolean => text.charCodeAt(sign - 1) === 0x61 && text.charCodeAt(sign - 2) === 0x74;

/** True if the sign is that of the data of a Secret in a Kubernetes manifest. */
export const isSecretData = (text: string, sign: number, { from, to }: TextRange): boolean =>
  mayBeData(text, sign) &&
  matches(breakHere, text, sign + 1) !== undefined &&
  dataKey.test(text.slice(Math.max(from, sign - longestDataKey), sign)) &&
  secretKind.test(text.slice(Math.max(from, sign - longestManifest), Math.min(to, sign + longestManifest)));

/** A member of the data whose value is one word, and any other line of it. */
const entry = new RegExp(
  String.raw`(([ \t]{1,64})[\w.-]{1,128}:[ \t]{1,8}["'\\]{0,4})([^\s"'\\#|>{}\[\]]{4,4096})["'\\]{0,4}[ \t]{0,8}(?=${lineBreak}|["\\]|$)`,
  'y',
);
const otherLine = /([ \t]{1,64})[^\n\\]{0,4096}/y;

/** Calls `found` for each value of the data of a Secret, and returns the offset after the data. */
export function eachSecretData(text: string, sign: number, to: number, found: (from: number, to: number) => void): number {
  const least = dataKey.exec(text.slice(Math.max(0, sign - longestDataKey), sign))?.[1]?.length ?? 0;
  const most = Math.min(to, sign + longestMember);
  let at = sign + 1;
  while (at < most && matches(breakHere, text, at) !== undefined) {
    const start = breakHere.lastIndex;
    const value = matches(entry, text, start);
    const line = value ?? matches(otherLine, text, start);
    if (line === undefined || (line[value === undefined ? 1 : 2] as string).length <= least) break;
    at = start + line[0].length;
    if (value !== undefined) {
      const from = start + (value[1] as string).length;
      found(from, from + (value[3] as string).length);
    }
  }
  return at;
}
