import { maskAddresses, masked } from '../../core/secrets/credential-names.ts';
import { isSecretMember, maskHeader } from '../../core/secrets/mask-headers.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import type { HeaderPairs } from '../../core/http/headers.ts';

/** Maximum length of each kind of text in a record, in characters. */
export const limits = { id: 128, name: 256, path: 512, agent: 256, reason: 512, message: 2048 } as const;

/** Prepares external text for a record: masks credentials in URLs and truncates the text to `limit` characters. */
export function bounded(text: string, limit: number): string {
  // Mask before truncating: a truncated secret would no longer be found.
  const shown = maskAddresses(text.length > limit * 8 ? text.slice(0, limit * 8) : text);
  return shown.length <= limit ? shown : `${shown.slice(0, limit).toWellFormed()}…`;
}

export function boundedOrNull(text: string | undefined, limit: number): string | null {
  return text === undefined || text === '' ? null : bounded(text, limit);
}

/** The first `most` elements of a list. */
export function firstItems<T>(list: readonly T[], most: number): readonly T[] {
  return list.length <= most ? list : list.slice(0, most);
}

const maxHeaders = 64;
/** Maximum characters of one value, and of all names and values of a message. */
const maxValueLength = 1024;
const maxTotalLength = 8 * 1024;

/** Limits the number and total size of the headers of one message. */
export class HeaderBudget {
  #headers = maxHeaders;
  #characters = maxTotalLength;

  /** Returns the value with credentials masked, or undefined when the limit is exceeded. */
  take(name: string, value: string): string | undefined {
    const shown = maskHeader(name, value);
    const kept = shown.length <= maxValueLength ? shown : `${shown.slice(0, maxValueLength).toWellFormed()}…`;
    this.#characters -= name.length + kept.length;
    this.#headers -= 1;
    return this.#characters < 0 || this.#headers < 0 ? undefined : kept;
  }
}

/** The headers with credentials masked, up to the limits of `HeaderBudget`. */
export function boundedHeaders(pairs: HeaderPairs): Readonly<Record<string, string>> {
  const out: Record<string, string> = {};
  const room = new HeaderBudget();
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const name = pairs[i] as string;
    const kept = room.take(name, pairs[i + 1] as string);
    if (kept === undefined) break;
    out[name] = kept;
  }
  return out;
}

/** Limits of texts by name, such as metadata. */
const textLimits = { members: 64, characters: 8 * 1024, levels: 1 } as const;

export const boundedTexts = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  shrinkIfNeeded(texts, textLimits) as Readonly<Record<string, string>>;

export interface ValueLimits {
  /** Maximum members of one object or list. */
  readonly members: number;
  /** Maximum characters of all names and texts together. */
  readonly characters: number;
  readonly levels: number;
  /** Masks members whose names indicate a credential, and credentials in URLs. */
  readonly masks?: boolean;
}

const ellipsis = '…';

/** Reduces an external JSON value to the limits. Parts that are nested too deeply or exceed the limits are left out. */
export function shrinkIfNeeded(value: unknown, limits: ValueLimits): unknown {
  return isSmall(value, limits) ? value : shrink(value, limits);
}

/** True for an object with a few short scalar values. Most are like this. */
function isSmall(value: unknown, { members, characters }: ValueLimits): boolean {
  if (!isJsonObject(value)) return false;
  let room = characters;
  let count = 0;
  for (const name in value) {
    const each = value[name];
    if (typeof each === 'object' && each !== null) return false;
    room -= name.length + (typeof each === 'string' ? each.length : 0) + 8;
    count += 1;
    if (room < 0 || count > members) return false;
  }
  return true;
}

/** Copies a value within the limits. Values that JSON cannot represent are replaced by `…`. */
export function shrink(value: unknown, { members, characters, levels, masks }: ValueLimits): unknown {
  let room = characters;
  const visit = (each: unknown, level: number): unknown => {
    if (typeof each === 'string') return text(each);
    if (typeof each !== 'object' || each === null) {
      room -= 8;
      return typeof each === 'number' || typeof each === 'boolean' ? each : each === null ? null : ellipsis;
    }
    if (level >= levels) return ellipsis;
    if (Array.isArray(each)) return each.slice(0, members).flatMap((item) => (room <= 0 ? [] : [visit(item, level + 1)]));
    return isJsonObject(each) ? object(each, level) : ellipsis;
  };
  const text = (written: string): string => {
    // Mask before truncating: a truncated secret would no longer be found.
    const each = masks === true ? maskAddresses(written.slice(0, characters * 8)) : written;
    const kept = each.length <= room ? each : `${each.slice(0, Math.max(0, room)).toWellFormed()}${ellipsis}`;
    room -= kept.length + 4;
    return kept;
  };
  const object = (each: Readonly<Record<string, unknown>>, level: number): Readonly<Record<string, unknown>> => {
    const out: [string, unknown][] = [];
    for (const name in each) {
      if (out.length >= members || room <= 0) break;
      if (Object.hasOwn(each, name))
        out.push([text(name), masks === true && isSecretMember(name, each[name]) ? masked : visit(each[name], level + 1)]);
    }
    return Object.fromEntries(out);
  };
  return visit(value, 0);
}

/** Approximate number of characters in a body patch. Stops counting once the total is above `manyCharacters`. */
export function charactersIn(patch: ReadonlyMap<string, unknown> | undefined): number {
  let count = 0;
  const visit = (value: unknown, level: number): void => {
    count += typeof value === 'string' ? value.length : 8;
    if (typeof value !== 'object' || value === null || level > maxDepth) return;
    for (const name in value) {
      if (count > manyCharacters) return;
      count += name.length;
      visit((value as Readonly<Record<string, unknown>>)[name], level + 1);
    }
  };
  if (patch !== undefined) for (const value of patch.values()) visit(value, 0);
  return count;
}

const manyCharacters = 128 * 1024;
/** Maximum nesting depth of a request body (`server.json`). */
const maxDepth = 128;
