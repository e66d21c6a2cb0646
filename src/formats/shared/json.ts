import { parseChecked, parseJson } from '../../core/json/scan.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';

/** Parses a text as a JSON object; undefined for anything else. Never throws, because taps and error readers get arbitrary text. */
export function parseObject(text: string, parse: (text: string) => unknown = parseJson): JsonObject | undefined {
  if (isBlank(text)) return undefined;
  try {
    const value: unknown = parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * True for text without content. Services keep a connection alive with such events, sometimes with very many: recognizing them
 * costs far less than an error of the parser.
 */
export const isBlank = (text: string): boolean => text === '' || (text.charCodeAt(0) <= 0x20 && text.trim() === '');

/** Like `parseObject`, for a text in which `flawOf` found nothing. */
export const checkedObject = (text: string): JsonObject | undefined => parseObject(text, parseChecked);

/** Returns a non-empty string; undefined for '', null and every other type. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Returns a number that can be the position of an item in a list; undefined for any other value. */
export const indexFrom = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

const noMembers: JsonObject = Object.freeze({});
const noItems: readonly never[] = Object.freeze([]);

/** Returns a string as it is, and '' for every other type. */
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns an object as it is, and an empty one for every other type. */
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : noMembers);

/** Returns a list as it is, and an empty one for every other type. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : noItems);

/** Returns the objects of a list, without its other items. */
export const objectsIn = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : noItems);

/**
 * Returns the start of the value of a key in JSON text, or -1. Finds the key at any depth and never inside a string, where its
 * quotes would be escaped. `key` is given without quotes.
 */
export function offsetOfValue(text: string, key: string, from = 0): number {
  for (let at = text.indexOf(key, from); at >= 0; at = text.indexOf(key, at + key.length)) {
    if (text.charCodeAt(at - 1) !== 0x22 || text.charCodeAt(at - 2) === 0x5c) continue;
    let next = at + key.length;
    if (text.charCodeAt(next) !== 0x22) continue;
    next = skipSpaces(text, next + 1);
    if (text.charCodeAt(next) !== 0x3a) continue;
    return skipSpaces(text, next + 1);
  }
  return -1;
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === 0x20) at += 1;
  return at;
}

/** Parses the object that starts at `start` of JSON text. Its end is found by counting braces outside strings. */
export function objectAt(text: string, start: number): JsonObject | undefined {
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

/** False for a member that is missing, null or `false`: some services always send the members that others leave out. */
export const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

/** True if a response contains an error: an object or, as some services send it, a string. */
export const hasError = ({ error }: JsonObject): boolean => isJsonObject(error) || textOf(error) !== undefined;

/** True if the text of an event begins as an error object without a type. For events that are otherwise not parsed. */
export const isBareError = (data: string): boolean => /^\s*\{\s*"error"\s*:\s*[{"]/.test(data);
