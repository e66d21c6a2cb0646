import { startOfString } from '../json/scan.ts';
import { decoded } from './texts/strings.ts';
import { afterColon, endOfString, pathHash, type Visitor, Walk } from './walk.ts';

const quote = 0x22;
const brace = 0x7b;
const blank = 0x20;
const backslash = 0x5c;

const longestPreview = 200;
/** Maximum characters read for a preview: sufficient even if each is written as an escape. */
const mostRead = 1280;

const role = pathHash('role');
const texts: ReadonlySet<number> = new Set(['content', 'content[*].text', 'content[*].input_text', 'text'].map(pathHash));

/** Reads as much of a message as one line needs, from one-byte text. */
class MessageReader implements Visitor {
  readonly skipsElements = false;
  readonly looksAtAll = false;
  isUser = false;
  said = '';
  hasParts = false;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  string(start: number, end: number, _isEscaped: boolean, _channel: number, path: number): void {
    if (path === role) this.isUser = this.#text.slice(start, end) === 'user';
    else if (!texts.has(path)) this.hasParts = true;
    else if (this.said.length <= mostRead)
      this.said += `${this.said === '' ? '' : ' '}${this.#text.slice(start, Math.min(end, start + mostRead + 1))}`;
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

/** Maximum messages, from the end, that are searched for a user message. */
const mostMessages = 32;
/** Maximum characters at the end of a body that are searched. Images behind the text make them many; strings are skipped fast. */
const mostLooked = 64 * 1024 * 1024;

/** Masks a part of a request. @param before the JSON before the part, from which paths of fields are known */
export type Shown = (start: number, end: number, before: string) => string;

/**
 * One line of the last user message; null if there is none. The body is read from its end, so the cost depends only on
 * what follows the message.
 */
export function lastUserText(text: string, shown: Shown): string | null {
  const close = text.lastIndexOf('}');
  let said: string | null = null;
  eachBackwards(text, close, Math.max(0, close - mostLooked), (from, to) => {
    const start = pastBlanks(text, from, to);
    const name = nameAt(text, start + 1);
    const value = name === undefined ? -1 : afterColon(text, start + name.length + 2, to);
    if (name === undefined || value < 0) return true;
    if (name !== 'prompt' && text[value] === '[') {
      const preview = ofUser(text, value, to, (first, last) => shown(first, last, `{"${name}":[`));
      if (preview !== undefined) {
        said = preview;
        return false;
      }
    }
    if (name !== 'messages') said ??= lastText(text, value, to, (first, last, within) => shown(first, last, `{"${name}":${within}`));
    return true;
  });
  return said;
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

/** The preview of the last user message in a list of messages. */
function ofUser(text: string, open: number, to: number, shown: (start: number, end: number) => string): string | undefined {
  const close = text.lastIndexOf(']', to - 1);
  let preview: string | undefined;
  let count = 0;
  eachBackwards(text, close, Math.max(open, close - mostLooked), (from, end) => {
    const start = pastBlanks(text, from, end);
    if (text.charCodeAt(start) !== brace) return true;
    count += 1;
    preview = previewOfMessage(shown(start, end));
    return preview === undefined && count < mostMessages;
  });
  return preview;
}

/** The preview of a prompt, or of the last one in a list. */
function lastText(text: string, value: number, to: number, shown: Shown): string | null {
  const line = (start: number, end: number, before: string): string | null => {
    const whole = shown(start, text.lastIndexOf('"', end - 1) + 1, before);
    return whole === '' ? null : previewOfText(whole.slice(1, whole.endsWith('"') ? -1 : undefined));
  };
  if (text.charCodeAt(value) === quote) return line(value, to, '');
  if (text[value] !== '[') return null;
  const close = text.lastIndexOf(']', to - 1);
  let said: string | null = null;
  eachBackwards(text, close, Math.max(value, close - mostLooked), (from, end) => {
    const start = pastBlanks(text, from, end);
    if (text.charCodeAt(start) !== quote) return true;
    said = line(start, end, '[');
    return false;
  });
  return said;
}

/** Calls `found` for the members or elements before `close`, the last one first, until it returns false. */
function eachBackwards(text: string, close: number, least: number, found: (from: number, to: number) => boolean): void {
  let depth = 0;
  let to = close;
  for (let at = close - 1; at >= least; at -= 1) {
    const c = text.charCodeAt(at);
    if (c === quote) {
      at = startOfString(text, at, least);
      if (at < 0) return;
    } else if (c === 0x7d || c === 0x5d) depth += 1;
    else if (c === brace || c === 0x5b) {
      if (depth === 0) {
        found(at + 1, to);
        return;
      }
      depth -= 1;
    } else if (c === 0x2c && depth === 0) {
      if (!found(at + 1, to)) return;
      to = at;
    }
  }
}

function pastBlanks(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** The content of a message in the most common form; undefined for other forms. */
function textOfUser(shown: string): string | undefined {
  if (!shown.startsWith(usual)) return undefined;
  const end = endOfString(shown, usual.length, shown.length);
  return end === shown.length - 2 && shown.charCodeAt(end + 1) === 0x7d ? shown.slice(usual.length, end) : undefined;
}

const usual = '{"role":"user","content":"';

/** A one-line preview of a user message, for lists; undefined for other roles. @param shown masked one-byte text of the object */
export function previewOfMessage(shown: string): string | undefined {
  const text = textOfUser(shown);
  if (text !== undefined && text !== '') return previewOfText(text);
  const reader = new MessageReader(shown);
  new Walk().run(shown, 0, shown.length, reader);
  if (!reader.isUser) return undefined;
  return reader.said === '' ? (reader.hasParts ? '[media]' : undefined) : previewOfText(reader.said);
}

/** @param shown masked one-byte content of a string */
function previewOfText(shown: string): string {
  const most = Math.min(shown.length, longestPreview + 1);
  // Most texts begin with plain words and single blanks.
  let before = blank;
  for (let at = 0; at < most; at += 1) {
    const c = shown.charCodeAt(at);
    if (c < blank || c >= 0x7f || c === backslash || (c === blank && before === blank))
      return shown.length > mostRead ? lineOfCut(shown.slice(0, mostRead)) : oneLine(textOf(shown));
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
const unseenOnes = String.raw`\s\0-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff`;
const unseen = new RegExp(`(?! (?![${unseenOnes}]))[${unseenOnes}]+`, 'g');
/** Characters that are usually sufficient for one line. If they are not, `mostRead` characters are used. */
const usuallyRead = 256;

/** Removes line breaks and control characters that would affect a terminal. */
function oneLine(text: string): string {
  const start = inLine(text.slice(0, usuallyRead));
  const line = start.length > longestPreview || text.length <= usuallyRead ? start : inLine(text.slice(0, mostRead));
  return line.length <= longestPreview ? line : shortened(line);
}

/** Never ends with half of a surrogate pair. */
const shortened = (line: string): string => `${line.slice(0, longestPreview - 1).replace(/[\ud800-\udbff]$/, '')}…`;

const inLine = (text: string): string => text.replaceAll(unseen, ' ').trim();
