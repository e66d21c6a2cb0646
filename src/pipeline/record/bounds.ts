import { maskAddresses, masked } from '../../core/secrets/credential-names.ts';
import { isSecretMember, maskHeader } from '../../core/secrets/mask-headers.ts';
import { isPlain } from '../../core/json/merge.ts';
import type { HeaderPairs } from '../../core/http/headers.ts';

/** Characters of one text of a record, by what it is. */
export const limits = { id: 128, name: 256, path: 512, agent: 256, reason: 512, message: 2048 } as const;

/** Text from outside as a record keeps it: addresses without credentials, and no longer than this. */
export function bounded(text: string, limit: number): string {
  // Before it is cut: what is left of a secret would not be found any more.
  const shown = maskAddresses(text.length > limit * 8 ? text.slice(0, limit * 8) : text);
  return shown.length <= limit ? shown : `${shown.slice(0, limit).toWellFormed()}…`;
}

export function boundedOrNull(text: string | undefined, limit: number): string | null {
  return text === undefined || text === '' ? null : bounded(text, limit);
}

/** The first members of a list. */
export function first<T>(list: readonly T[], most: number): readonly T[] {
  return list.length <= most ? list : list.slice(0, most);
}

const mostHeaders = 64;
/** Characters of one value, and of all names and values of a message. */
const headerLimit = 1024;
const headersLimit = 8 * 1024;

/** Counts what there is room for. */
export class HeaderRoom {
  #headers = mostHeaders;
  #characters = headersLimit;

  /** One header without credentials; undefined where there is no room for it. */
  take(name: string, value: string): string | undefined {
    const shown = maskHeader(name, value);
    const kept = shown.length <= headerLimit ? shown : `${shown.slice(0, headerLimit).toWellFormed()}…`;
    this.#characters -= name.length + kept.length;
    this.#headers -= 1;
    return this.#characters < 0 || this.#headers < 0 ? undefined : kept;
  }
}

/** Headers without credentials, the first of them as far as there is room. */
export function boundedHeaders(pairs: HeaderPairs): Readonly<Record<string, string>> {
  const out: Record<string, string> = {};
  const room = new HeaderRoom();
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const name = pairs[i] as string;
    const kept = room.take(name, pairs[i + 1] as string);
    if (kept === undefined) break;
    out[name] = kept;
  }
  return out;
}

const mostMetadata = 64;
const metadataLimit = 8 * 1024;

/** Texts by name: the first of them as far as there is room. */
export function boundedTexts(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  let room = metadataLimit;
  let count = 0;
  for (const name in texts) {
    count += 1;
    room -= name.length + (texts[name]?.length ?? 0);
  }
  if (count <= mostMetadata && room >= 0) return texts;
  return shrunk(texts, { members: mostMetadata, characters: metadataLimit, levels: 1 }) as Readonly<Record<string, string>>;
}

export interface ValueLimits {
  /** Members of one object or list. */
  readonly members: number;
  /** Of all names and texts together. */
  readonly characters: number;
  readonly levels: number;
  /** Hides what is named like a credential, and credentials in addresses. */
  readonly masks?: boolean;
}

const cut = '…';

/** A JSON value from outside, made small: what lies too deep, and what there is no room for, is left out. */
export function shrunk(value: unknown, limits: ValueLimits): unknown {
  return isSmall(value, limits) ? value : shrink(value, limits);
}

/** An object of a few short values, which most are. */
function isSmall(value: unknown, { members, characters }: ValueLimits): boolean {
  if (!isPlain(value)) return false;
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

/** A copy of such a value. Never more than agreed, and nothing that JSON has no word for. */
export function shrink(value: unknown, { members, characters, levels, masks }: ValueLimits): unknown {
  let room = characters;
  const visit = (each: unknown, level: number): unknown => {
    if (typeof each === 'string') return text(each);
    if (typeof each !== 'object' || each === null) {
      room -= 8;
      return typeof each === 'number' || typeof each === 'boolean' ? each : each === null ? null : cut;
    }
    if (level >= levels) return cut;
    if (Array.isArray(each)) return each.slice(0, members).flatMap((item) => (room <= 0 ? [] : [visit(item, level + 1)]));
    return isPlain(each) ? object(each, level) : cut;
  };
  const text = (written: string): string => {
    // Before it is cut: what is left of a secret would not be found any more.
    const each = masks === true ? maskAddresses(written.slice(0, characters * 8)) : written;
    const kept = each.length <= room ? each : `${each.slice(0, Math.max(0, room)).toWellFormed()}${cut}`;
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

/** Characters of the texts in what a body was edited with, about; no more than are needed to know that there are many. */
export function charactersIn(patch: ReadonlyMap<string, unknown> | undefined): number {
  let count = 0;
  const visit = (value: unknown, level: number): void => {
    count += typeof value === 'string' ? value.length : 8;
    if (typeof value !== 'object' || value === null || level > deepest) return;
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
/** Levels of a request body (`server.json`). */
const deepest = 128;
