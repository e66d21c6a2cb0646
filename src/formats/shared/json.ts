import { parseChecked, parseJson } from '../../core/json/scan.ts';
import { isPlain, type Plain } from '../../core/json/merge.ts';

/** The JSON object that a text holds, or undefined: taps and error readers see anything and never throw. */
export function parseObject(text: string, parse: (text: string) => unknown = parseJson): Plain | undefined {
  try {
    const value: unknown = parse(text);
    return isPlain(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The same for a text in which `flawOf` found nothing. */
export const checkedObject = (text: string): Plain | undefined => parseObject(text, parseChecked);

/** A text that says something; undefined for '', null and every other type. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The same with '' for everything that is no text. */
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const objectOf = (value: unknown): Plain => (isPlain(value) ? value : {});

/** The objects of a list; what else is in it is left out. */
export const objectsIn = (value: unknown): readonly Plain[] => (Array.isArray(value) ? value.filter(isPlain) : []);

/**
 * Start of the value of a key in JSON text, or -1. Finds the key at any depth and never inside a string, where its
 * quotes would be escaped. `word` is the key without quotes.
 */
export function valueOf(text: string, word: string, from = 0): number {
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (text.charCodeAt(at - 1) !== 0x22 || text.charCodeAt(at - 2) === 0x5c) continue;
    let next = at + word.length;
    if (text.charCodeAt(next) !== 0x22) continue;
    next = skipBlank(text, next + 1);
    if (text.charCodeAt(next) !== 0x3a) continue;
    return skipBlank(text, next + 1);
  }
  return -1;
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === 0x20) at += 1;
  return at;
}

/** The object that starts at `start` of JSON text, found by counting braces outside strings. */
export function objectAt(text: string, start: number): Plain | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const c = text.charCodeAt(at);
    if (inString) {
      if (c === 0x5c) at += 1;
      else if (c === 0x22) inString = false;
    } else if (c === 0x22) inString = true;
    else if (c === 0x7b) depth += 1;
    else if (c === 0x7d) {
      depth -= 1;
      if (depth === 0) return parseObject(text.slice(start, at + 1));
    }
  }
  return undefined;
}

/** Is there an error in an answer: an object or, as some services write it, a text? */
export const hasError = ({ error }: Plain): boolean => isPlain(error) || textOf(error) !== undefined;

/** Does the text of an event begin as an error object without a type? For events whose bulk nobody parses. */
export const isBareError = (data: string): boolean => /^\s*\{\s*"error"\s*:\s*[{"]/.test(data);
