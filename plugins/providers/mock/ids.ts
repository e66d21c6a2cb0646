import { parseJson } from '#core/json/scan.ts';
/**
 * The mock stores nothing: an id holds what it stands for, so that an object that was created is found again. The parts
 * are JSON in the letters of a URL; everything else is an id that nobody gave.
 */

export type Part = string | number | null | Readonly<Record<string, string>>;

/** Characters of an id: a path is no place for more. */
const longest = 8_000;

export const madeId = (prefix: string, parts: readonly Part[]): string =>
  `${prefix}${Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url')}`;

/** What an id stands for; undefined where it was not made here, or for something else. */
export function partsOf(prefix: string, id: string, isRight: (parts: readonly unknown[]) => boolean): readonly Part[] | undefined {
  if (!id.startsWith(prefix) || id.length > longest) return undefined;
  try {
    const parts: unknown = parseJson(Buffer.from(id.slice(prefix.length), 'base64url').toString('utf8'));
    // Decoding is generous: an id that is written in another way is another id.
    return Array.isArray(parts) && isRight(parts) && madeId(prefix, parts as Part[]) === id ? (parts as Part[]) : undefined;
  } catch {
    return undefined;
  }
}

/** Unix seconds that a date can hold. */
export const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 1e10;

export const isText = (value: unknown): value is string => typeof value === 'string';

export const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';

/** Metadata as it stands in an id: texts by name, or null. */
export const isMetadata = (value: unknown): value is Readonly<Record<string, string>> | null =>
  value === null || (typeof value === 'object' && !Array.isArray(value) && Object.values(value).every(isText));

/** The first of the objects that every list has: 2026-01-01. */
export const firstCreated = 1_767_225_600;
