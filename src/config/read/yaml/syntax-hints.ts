import { lowerFirst, withoutFullStop } from '../../../core/text/wording.ts';

/** An error of the YAML parser: code, message and position as offsets. */
export interface SyntaxFault {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

export interface SyntaxHint {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint: string | undefined;
}

/**
 * Explains the most likely cause of a syntax error. The parser's own message is the fallback: it names what was
 * expected, seldom what is wrong. Each line is scanned once, however many errors it has.
 */
export function syntaxExplainer(text: string): (fault: SyntaxFault) => SyntaxHint {
  const lines = new Map<number, LineCauses>();
  const causesAt = (offset: number): LineCauses => {
    const from = text.lastIndexOf('\n', offset - 1) + 1;
    const known = lines.get(from);
    if (known !== undefined) return known;
    const end = text.indexOf('\n', offset);
    const line = text.slice(from, end < 0 ? text.length : end);
    const found = { reference: referenceInFlow(line, from), template: bareTemplate(line, from) };
    lines.set(from, found);
    return found;
  };
  return (fault) => {
    const [start, end] = fault.pos;
    const { reference, template } = causesAt(start);
    const before = template !== undefined && template.end <= start ? template : undefined;
    return reference ?? before ?? byCode(fault, text) ?? { start, end, message: normalizeMessage(fault.message), hint: undefined };
  };
}

/** Causes in a line that make the parser report an error elsewhere in the line. */
interface LineCauses {
  readonly reference: SyntaxHint | undefined;
  readonly template: SyntaxHint | undefined;
}

/**
 * `${…}` inside `{ }` or `[ ]`: its braces end the value. The parser reports an error at or shortly after it.
 *
 * The length of a reference is limited, since each unclosed `${` is searched for its end.
 */
function referenceInFlow(line: string, from: number): SyntaxHint | undefined {
  let at = 0;
  let quotes = { double: 0, single: 0 };
  let isOpen = false;
  for (const match of line.matchAll(/\$\{[^}"']{0,500}\}/g)) {
    const before = line.slice(at, match.index);
    at = match.index + match[0].length;
    quotes = { double: quotes.double + before.split('"').length - 1, single: quotes.single + before.split("'").length - 1 };
    isOpen ||= /[{[]/.test(before.replace(/\$\{[^}]{0,500}\}/g, ''));
    if (!isOpen || quotes.double % 2 === 1 || quotes.single % 2 === 1) continue;
    const start = from + match.index;
    return { start, end: from + at, message: 'a reference inside { } or [ ] needs quotes', hint: `write "${match[0]}"` };
  }
  return undefined;
}

/** A value that begins with `{{`: YAML reads a mapping in a mapping and reports an error after it. */
function bareTemplate(line: string, from: number): SyntaxHint | undefined {
  const lead = /^[^"']*?[:-][ \t]+(?=\{\{)/.exec(line)?.[0];
  if (lead === undefined) return undefined;
  const start = from + lead.length;
  return { start, end: start + 2, message: 'a plain value can\'t start with "{{"', hint: 'a template needs quotes: "{{name}}"' };
}

function byCode(fault: SyntaxFault, text: string): SyntaxHint | undefined {
  const [start, end] = fault.pos;
  switch (fault.code) {
    case 'BAD_SCALAR_START':
      return reservedStart(start, text);
    case 'TAB_AS_INDENT':
      return { start, end: start + 1, message: 'a tab cannot be used for indentation', hint: 'use two spaces' };
    case 'MISSING_CHAR':
      if (fault.message.includes('quote')) return unclosedQuote(fault, text);
      return bracketInValue(start, text) ?? unexpected(fault, text);
    case 'UNEXPECTED_TOKEN':
      return bracketInValue(start, text) ?? unexpected(fault, text);
    case 'BLOCK_IN_FLOW':
      return { start, end, message: 'a second ":" in a plain value', hint: 'put the value in quotes' };
    case 'BAD_ALIAS': {
      const sign = text.charAt(start);
      return { start, end, message: `a plain value can't start with "${sign}"`, hint: `put it in quotes: "${sign}"` };
    }
    case 'MULTIPLE_DOCS':
      return { start, end: start + 3, message: 'one file is one document', hint: 'remove the line ---, or write two files' };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return {
        start,
        end,
        message: 'a second ":" in a plain value, or a line that is indented too far',
        hint: 'quote the value, or align the line with the lines around it',
      };
    case 'BAD_INDENT':
      return fault.message.startsWith('Flow')
        ? {
            start,
            end,
            message: `"${fault.message.startsWith('Flow map') ? '{' : '['}" is not closed before this position`,
            hint: 'close it',
          }
        : { start, end, message: 'the indentation matches no line above', hint: 'align the line with the lines around it' };
    case 'MULTILINE_IMPLICIT_KEY':
      return {
        start,
        end: start + 1,
        message: 'a line without ": " between key and value',
        hint: 'write a space after the colon: key: value',
      };
    default:
      return undefined;
  }
}

/** `c[0]` inside `{ }` or `[ ]`: the bracket begins a list. Undefined if no plain value is before it. */
function bracketInValue(start: number, text: string): SyntaxHint | undefined {
  const sign = text.charAt(start);
  const before = /[^\s,{}[\]"']{1,200}$/.exec(text.slice(Math.max(0, start - 200), start))?.[0];
  if ((sign !== '[' && sign !== '{') || before === undefined) return undefined;
  const message = `a plain value inside { } or [ ] can't contain "${sign}"`;
  return { start: start - before.length, end: start + 1, message, hint: 'put the whole value in quotes' };
}

function unexpected({ message, pos: [start, end] }: SyntaxFault, text: string): SyntaxHint | undefined {
  const sign = text.charAt(start);
  if (message.endsWith('at node end'))
    return { start, end, message: 'text after the end of a value', hint: 'put the whole value in quotes, or remove this text' };
  if (message.startsWith('Missing ,')) return { start, end, message: 'a comma is missing before this value', hint: 'write it' };
  if (message.startsWith('Unexpected ,')) return { start, end, message: 'a comma without a value before it', hint: 'remove it' };
  const isClosing = (sign === '}' || sign === ']') && message.includes('-end token');
  return isClosing ? { start, end, message: `"${sign}" closes nothing`, hint: 'remove it, or put the value in quotes' } : undefined;
}

function reservedStart(start: number, text: string): SyntaxHint {
  const sign = text.charAt(start);
  const value = /^[^\s,\]}#]+/.exec(text.slice(start))?.[0] ?? sign;
  const model = /[{,\s]model\s*:\s*$/.test(text.slice(Math.max(0, start - 40), start));
  // A slug may be written without @ in a target or in `provider`, but not in `model`.
  const bare = sign === '@' && !model ? `, or omit the @: ${value.slice(1)}` : '';
  return { start, end: start + 1, message: `a plain value can't start with "${sign}"`, hint: `put it in quotes: "${value}"${bare}` };
}

/** The parser reports this at the end of the text. The hint shows where the quote was opened. */
function unclosedQuote(fault: SyntaxFault, text: string): SyntaxHint {
  const mark = fault.message.includes('"') ? '"' : "'";
  const start = openingQuote(text, mark, fault.pos[0]);
  return {
    start,
    end: start + 1,
    message: `the quote ${mark} is never closed`,
    hint: `close it; inside the quotes, write ${mark === '"' ? '\\"' : "''"} for the character itself`,
  };
}

/** Position of the last quote on the first line with an odd number of quotes. */
function openingQuote(text: string, mark: string, limit: number): number {
  let from = 0;
  while (from <= limit) {
    const lineEnd = text.indexOf('\n', from);
    const line = text.slice(from, lineEnd < 0 ? text.length : lineEnd);
    const marks = [...line.matchAll(mark === '"' ? /(?<!\\)"/g : /'/g)];
    const last = marks.at(-1);
    if (marks.length % 2 === 1 && last !== undefined && !/^\s*#/.test(line)) return from + last.index;
    if (lineEnd < 0) break;
    from = lineEnd + 1;
  }
  return Math.max(0, limit - 1);
}

const normalizeMessage = (message: string): string => lowerFirst(withoutFullStop(message));
