import { decoded } from './texts/strings.ts';
import { type ListOffsets, maxElements } from './elements/list-elements.ts';
import { afterColon, endOfString, endOfValue, pastBlanks, pathHash, type Visitor, JsonTraversal } from './json-traversal.ts';

const quote = 0x22;
const brace = 0x7b;
const bracket = 0x5b;
const closingBracket = 0x5d;
const blank = 0x20;
const comma = 0x2c;
const backslash = 0x5c;

const longestPreview = 200;
/** Maximum characters read for a preview: sufficient even if each is written as an escape. */
const maxCharactersRead = 1280;

const role = pathHash('role');
const texts: ReadonlySet<number> = new Set(['content', 'content[*].text', 'content[*].input_text', 'text'].map(pathHash));

/** Reads as much of a message as one line needs, from one-byte text. */
class MessageReader implements Visitor {
  readonly skipsElements = false;
  readonly reportsAll = false;
  isUser = false;
  content = '';
  hasParts = false;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  string(start: number, end: number, _isEscaped: boolean, _channel: number, path: number): void {
    if (path === role) this.isUser = this.#text.slice(start, end) === 'user';
    else if (!texts.has(path)) this.hasParts = true;
    else if (this.content.length <= maxCharactersRead)
      this.content += `${this.content === '' ? '' : ' '}${this.#text.slice(start, Math.min(end, start + maxCharactersRead + 1))}`;
  }

  name(): void {}

  number(): void {}

  skips(): boolean {
    return false;
  }

  skipped(): void {}

  reach(): number {
    return this.#text.length;
  }
}

/** Masks a part of a request. @param before the JSON before the part, from which paths of fields are known */
export type MaskRange = (start: number, end: number, before: string) => string;

/**
 * One line of the last user message; null if there is none.
 *
 * @param lists the lists of the outermost object that are known, by offset
 */
export function lastUserText(text: string, shown: MaskRange, lists: ReadonlyMap<number, ListOffsets> = noLists): string | null {
  const members = previewMembers(text, lists);
  let line: string | null = null;
  for (let i = members.length - 1; i >= 0; i -= 1) {
    const { name, value, end, list } = members[i] as PreviewMember;
    if (name !== 'prompt' && list !== undefined) {
      const preview = previewOfLastUser(text, list, (first, last) => shown(first, last, `{"${name}":[`));
      if (preview !== undefined) return preview;
    }
    if (name !== 'messages' && line === null) {
      line =
        list === undefined
          ? previewOfString(text, value, end, (first, last) => shown(first, last, `{"${name}":`))
          : previewOfLastString(text, list, (first, last) => shown(first, last, `{"${name}":[`));
    }
  }
  return line;
}

const noLists: ReadonlyMap<number, ListOffsets> = new Map();

interface PreviewMember {
  readonly name: string;
  /** Offsets of the value. */
  readonly value: number;
  readonly end: number;
  /** Undefined if the value is not a list. */
  readonly list: PreviewList | undefined;
}

/** Maximum members with text for a preview. A request has one of each name. */
const maxMembers = 8;

/** The top-level members that may contain a user message, in order. Strings are skipped by their closing quote, so the scan is fast. */
function previewMembers(text: string, lists: ReadonlyMap<number, ListOffsets>): readonly PreviewMember[] {
  const members: PreviewMember[] = [];
  const to = text.length;
  let at = pastBlanks(text, 0, to);
  while (at < to && (text.charCodeAt(at) === brace || text.charCodeAt(at) === comma)) {
    const start = pastBlanks(text, at + 1, to);
    if (text.charCodeAt(start) !== quote) break;
    const close = endOfString(text, start + 1, to);
    const value = afterColon(text, close + 1, to);
    if (value < 0) break;
    const name = nameAt(text, start + 1);
    const list =
      text.charCodeAt(value) === bracket
        ? (knownList(text, value, lists) ?? (name === undefined ? undefined : listAt(text, value, to)))
        : undefined;
    const end = list === undefined ? endOfValue(text, value, to) : list.end;
    if (name !== undefined && members.push({ name, value, end, list }) > maxMembers) members.shift();
    at = pastBlanks(text, end, to);
  }
  return members;
}

/** Checks the first letter first, because most members have other names. */
function nameAt(text: string, at: number): 'messages' | 'input' | 'prompt' | undefined {
  switch (text.charCodeAt(at)) {
    case 0x6d:
      return text.startsWith('messages"', at) ? 'messages' : undefined;
    case 0x69:
      return text.startsWith('input"', at) ? 'input' : undefined;
    case 0x70:
      return text.startsWith('prompt"', at) ? 'prompt' : undefined;
    default:
      return undefined;
  }
}

interface PreviewList extends Readonly<ListOffsets> {
  /** The offset after the list. */
  readonly end: number;
}

/** Undefined if the list is not known, or not well-formed. */
function knownList(text: string, open: number, lists: ReadonlyMap<number, ListOffsets>): PreviewList | undefined {
  const list = lists.get(open);
  if (list === undefined) return undefined;
  const last = list.count === 0 ? open + 1 : (list.ends[(list.count - 1) % maxElements] as number);
  const end = pastBlanks(text, last, text.length);
  return text.charCodeAt(end) === closingBracket ? { ...list, end: end + 1 } : undefined;
}

function listAt(text: string, open: number, to: number): PreviewList {
  const starts: number[] = [];
  const ends: number[] = [];
  let count = 0;
  let at = open;
  while (at < to && (at === open || text.charCodeAt(at) === comma)) {
    const start = pastBlanks(text, at + 1, to);
    const end = endOfValue(text, start, to);
    starts[count % maxElements] = start;
    ends[count % maxElements] = end;
    count += 1;
    at = pastBlanks(text, end, to);
  }
  return { starts, ends, count, end: Math.min(to, at + 1) };
}

/** The preview of the last user message in a list of messages. */
function previewOfLastUser(
  text: string,
  { starts, ends, count }: PreviewList,
  shown: (start: number, end: number) => string,
): string | undefined {
  for (let i = count - 1; i >= Math.max(0, count - maxElements); i -= 1) {
    const start = starts[i % maxElements] as number;
    const preview = text.charCodeAt(start) === brace ? previewOfMessage(shown(start, ends[i % maxElements] as number)) : undefined;
    if (preview !== undefined) return preview;
  }
  return undefined;
}

/** The preview of the last text in a list of prompts. */
function previewOfLastString(
  text: string,
  { starts, ends, count }: PreviewList,
  shown: (start: number, end: number) => string,
): string | null {
  for (let i = count - 1; i >= Math.max(0, count - maxElements); i -= 1) {
    const start = starts[i % maxElements] as number;
    if (text.charCodeAt(start) === quote) return previewOfString(text, start, ends[i % maxElements] as number, shown);
  }
  return null;
}

/** The preview of a prompt; null if the value is not a string. */
function previewOfString(text: string, start: number, end: number, shown: (start: number, end: number) => string): string | null {
  if (text.charCodeAt(start) !== quote) return null;
  const whole = shown(start, end);
  return whole === '' ? null : previewOfText(whole.slice(1, whole.endsWith('"') ? -1 : undefined));
}

/** The content of a message in the most common form; undefined for other forms. */
function textOfUser(shown: string): string | undefined {
  if (!shown.startsWith(commonPrefix)) return undefined;
  const end = endOfString(shown, commonPrefix.length, shown.length);
  return end === shown.length - 2 && shown.charCodeAt(end + 1) === 0x7d ? shown.slice(commonPrefix.length, end) : undefined;
}

const commonPrefix = '{"role":"user","content":"';

/** A one-line preview of a user message, for lists; undefined for other roles. @param shown masked one-byte text of the object */
export function previewOfMessage(shown: string): string | undefined {
  const text = textOfUser(shown);
  if (text !== undefined && text !== '') return previewOfText(text);
  const reader = new MessageReader(shown);
  new JsonTraversal().run(shown, 0, shown.length, reader);
  if (!reader.isUser) return undefined;
  return reader.content === '' ? (reader.hasParts ? '[media]' : undefined) : previewOfText(reader.content);
}

/** @param shown masked one-byte content of a string */
function previewOfText(shown: string): string {
  const maxLength = Math.min(shown.length, longestPreview + 1);
  // Most texts begin with plain words and single blanks.
  let before = blank;
  for (let at = 0; at < maxLength; at += 1) {
    const c = shown.charCodeAt(at);
    if (c < blank || c >= 0x7f || c === backslash || (c === blank && before === blank))
      return shown.length > maxCharactersRead ? lineOfCut(shown.slice(0, maxCharactersRead)) : oneLine(textOf(shown));
    before = c;
  }
  return shown.length <= longestPreview ? shown.trimEnd() : `${shown.slice(0, longestPreview - 1)}…`;
}

const textOf = (shown: string): string => decoded(Buffer.from(shown, 'latin1').toString('utf8'));

/** An incomplete escape, or half of a surrogate pair, at the end of a text. An escaped backslash does not begin an escape. */
const halfEscape = /(?<!\\)((?:\\\\)*)(?:\\ud[89ab][\da-f]{2})?(?:\\(?:u[\da-f]{0,3})?)?$/i;

/** The preview of a text that was truncated. */
function lineOfCut(shown: string): string {
  const line = oneLine(textOf(shown.replace(halfEscape, '$1')).replace(/\ufffd$/, ''));
  return line.endsWith('…') ? line : shortened(line);
}

/** White space, control characters, and characters that change the text direction. A single space is not matched. */
const invisibleCharacters = String.raw`\s\0-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff`;
const invisible = new RegExp(`(?! (?![${invisibleCharacters}]))[${invisibleCharacters}]+`, 'g');
/** Characters that are usually sufficient for one line. If they are not, `maxCharactersRead` characters are used. */
const usuallyRead = 256;

/** Removes line breaks and control characters that would affect a terminal. */
function oneLine(text: string): string {
  const start = inLine(text.slice(0, usuallyRead));
  const line = start.length > longestPreview || text.length <= usuallyRead ? start : inLine(text.slice(0, maxCharactersRead));
  return line.length <= longestPreview ? line : shortened(line);
}

/** Never ends with half of a surrogate pair. */
const shortened = (line: string): string => `${line.slice(0, longestPreview - 1).replace(/[\ud800-\udbff]$/, '')}…`;

const inLine = (text: string): string => text.replaceAll(invisible, ' ').trim();
