/** What the YAML parser says: its code, its words, and where (offsets). */
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
 * Says what a person most likely did when YAML could not be read. The parser's own words come last:
 * they name what it expected, seldom what is wrong. A line is looked through once, however many faults it has.
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
    return reference ?? before ?? byCode(fault, text) ?? { start, end, message: plain(fault.message), hint: undefined };
  };
}

/** What in a line makes the parser complain somewhere else in it. */
interface LineCauses {
  readonly reference: SyntaxHint | undefined;
  readonly template: SyntaxHint | undefined;
}

/** `${…}` inside `{ }` or `[ ]`: the braces end the value. The parser complains at or shortly behind it. */
function referenceInFlow(line: string, from: number): SyntaxHint | undefined {
  let at = 0;
  let marks = { double: 0, single: 0 };
  let isOpen = false;
  for (const match of line.matchAll(/\$\{[^}"']*\}/g)) {
    const before = line.slice(at, match.index);
    at = match.index + match[0].length;
    marks = { double: marks.double + before.split('"').length - 1, single: marks.single + before.split("'").length - 1 };
    isOpen ||= /[{[]/.test(before.replace(/\$\{[^}]*\}/g, ''));
    if (!isOpen || marks.double % 2 === 1 || marks.single % 2 === 1) continue;
    const start = from + match.index;
    return { start, end: from + at, message: 'a reference inside { } or [ ] needs quotes', hint: `write "${match[0]}"` };
  }
  return undefined;
}

/** A value that begins with `{{`: YAML reads a mapping in a mapping, and complains behind it. */
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
      return fault.message.includes('quote') ? unclosedQuote(fault, text) : undefined;
    case 'BAD_ALIAS':
      return { start: start - 1, end, message: 'a plain value can\'t start with "*"', hint: 'put it in quotes: "*"' };
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
            message: `a ${fault.message.startsWith('Flow map') ? '"{" has no "}"' : '"[" has no "]"'} before this place`,
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

function reservedStart(start: number, text: string): SyntaxHint {
  const sign = text.charAt(start);
  const value = /^[^\s,\]}#]+/.exec(text.slice(start))?.[0] ?? sign;
  const model = /[{,\s]model\s*:\s*$/.test(text.slice(Math.max(0, start - 40), start));
  // Only a target or `provider` takes a slug without its @; in `model` the @ is what makes it one.
  const bare = sign === '@' && !model ? `, or omit the @: ${value.slice(1)}` : '';
  return { start, end: start + 1, message: `a plain value can't start with "${sign}"`, hint: `put it in quotes: "${value}"${bare}` };
}

/** The parser notices at the end of the text; what helps is where the quote was opened. */
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

/** Walks line by line: the first line on which the count of this quote is odd opens it. */
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

function plain(message: string): string {
  const text = message.replace(/\.$/, '');
  return text.charAt(0).toLowerCase() + text.slice(1);
}
