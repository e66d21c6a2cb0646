import { maxValues, FilterSyntaxError } from './filter.ts';

/** A term as written. */
export interface RawTerm {
  readonly negated: boolean;
  /** Null for bare words. */
  readonly name: { readonly text: string; readonly from: number; readonly to: number } | null;
  readonly values: readonly RawValue[];
  readonly from: number;
  readonly to: number;
}

export interface RawValue {
  /** Texts between wildcards; one part if there is no wildcard. */
  readonly parts: readonly string[];
  /** True if the value starts with a quote, and so cannot start with an operator. */
  readonly quoted: boolean;
  readonly from: number;
  readonly to: number;
}

const space = /\s*/y;
const fieldName = /(\w[\w-]*(?:\.(?:"(?:[^"\\]|\\.)*"|[^\s:",]+)?)?):/y;

/** Splits a filter into terms: names, and values without quotes. */
export function scanTerms(text: string): RawTerm[] {
  const terms: RawTerm[] = [];
  let values = 0;
  for (let at = skip(text, 0); at < text.length; at = skip(text, at)) {
    const term = scanTerm(text, at);
    values += term.values.length;
    if (values > maxValues)
      throw new FilterSyntaxError(`A filter has at most ${maxValues} values.`, term, 'Use a wildcard: model:gpt-4o*.');
    terms.push(term);
    at = term.to;
  }
  return terms;
}

function scanTerm(text: string, from: number): RawTerm {
  const negated = text[from] === '-' && from + 1 < text.length && !isSpace(text[from + 1]);
  const start = negated ? from + 1 : from;
  fieldName.lastIndex = start;
  const found = fieldName.exec(text)?.[1];
  const name = found === undefined ? null : { text: unquoted(found), from: start, to: start + found.length };
  const values: RawValue[] = [];
  let at = name === null ? start : name.to + 1;
  for (;;) {
    const value = scanValue(text, at);
    values.push(value);
    at = value.to;
    if (text[at] !== ',') break;
    at += 1;
  }
  return { negated, name, values, from, to: at };
}

/** Scans one value up to a comma or blank. Quotes may occur anywhere in it; inside quotes, `*` is an ordinary character. */
function scanValue(text: string, from: number): RawValue {
  const parts: string[] = [];
  let part = '';
  let at = from;
  for (; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === ',' || isSpace(char)) break;
    if (char === '*') {
      parts.push(part);
      part = '';
    } else if (char === '"') {
      const end = closingQuote(text, at);
      part += text.slice(at + 1, end).replaceAll(/\\(.)/gs, '$1');
      at = end;
    } else {
      part += char;
    }
  }
  parts.push(part);
  return { parts: parts.filter((part, i) => part !== '' || i === 0 || i === parts.length - 1), quoted: text[from] === '"', from, to: at };
}

function closingQuote(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at += 1;
  }
  throw new FilterSyntaxError('A quote is not closed.', { from, to: text.length }, String.raw`A quote inside of quotes is written as \".`);
}

function unquoted(name: string): string {
  const quote = name.indexOf('."');
  return quote === -1 ? name : name.slice(0, quote + 1) + name.slice(quote + 2, -1).replaceAll(/\\(.)/gs, '$1');
}

function skip(text: string, from: number): number {
  space.lastIndex = from;
  space.exec(text);
  return space.lastIndex;
}

const isSpace = (char: string | undefined): boolean => char !== undefined && /\s/.test(char);
