import type { Budget } from '../memory/budget.ts';

/**
 * Data that a later request of a conversation needs although clients do not send it back: a text, stored under the
 * client's ID of its tool call.
 */
export interface Note {
  readonly id: string;
  readonly text: string;
}

/** The notes of one caller for one account of a provider. */
export interface Notes {
  recall(ids: readonly string[]): ReadonlyMap<string, string>;
  keep(note: Note): void;
}

/** Limits of the notes: sizes in bytes, time in milliseconds since a note was last used. */
export interface NoteBounds {
  readonly size: number;
  readonly perKey: number;
  readonly ttl: number;
}

/** Owner of a note, and the scope in which it may be used again. */
export interface NoteScope {
  /** The gateway key. Notes of one key take no room from others beyond its limit. */
  readonly owner: string;
  /** Everything that must be equal: owner, provider account, model. */
  readonly place: string;
}

/** Conditions for storing a note: the current limits, and the memory budget of all requests. */
export interface Keeping {
  readonly bounds: NoteBounds;
  readonly budget: Budget;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The notes of one key, the least recently used first. */
interface Owned {
  readonly owner: string;
  readonly keys: Set<string>;
  bytes: number;
}

interface Kept {
  readonly mine: Owned;
  readonly text: string;
  readonly bytes: number;
  at: number;
}

/** Estimated memory per note besides its texts, in bytes: two map entries and an object. */
const overhead = 200;

/** Maximum share of `server.memory` used for notes. */
const shareOfBudget = 1 / 8;

/**
 * Notes of all callers, limited in total size, size per key, and age. The oldest ones are removed first. Their memory
 * counts against the budget of all requests.
 */
export class NoteMemory {
  /** Maps keep the order of insertion: the first note is the least recently used one. */
  readonly #kept = new Map<string, Kept>();
  readonly #byOwner = new Map<string, Owned>();
  /** Budget of the process, set with the first note. */
  #budget: Budget | undefined;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Number of keys that have notes. */
  get owners(): number {
    return this.#byOwner.size;
  }

  keep({ owner, place }: NoteScope, { id, text }: Note, { bounds, budget, now }: Keeping): void {
    this.#budget ??= budget;
    const key = `${place}\n${id}`;
    this.#drop(key);
    this.#expire(bounds.ttl, now);
    // V8 stores strings with characters beyond Latin-1 in two bytes per character.
    const bytes = 2 * (key.length + text.length) + overhead;
    const size = Math.min(bounds.size, budget.limit * shareOfBudget);
    if (bytes > size || bytes > bounds.perKey) return;
    const mine = this.#byOwner.get(owner) ?? { owner, keys: new Set(), bytes: 0 };
    for (const oldest of mine.keys) {
      if (mine.bytes + bytes <= bounds.perKey) break;
      this.#drop(oldest);
    }
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes + bytes <= size) break;
      this.#drop(oldest);
    }
    if (budget.take(bytes)) this.#add(key, { mine, text, bytes, at: now });
  }

  /** Returns the known notes among these IDs, and renews their time to live. */
  recall({ place }: NoteScope, ids: readonly string[], ttl: number, now: number): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    this.#expire(ttl, now);
    for (const id of ids) {
      const key = `${place}\n${id}`;
      const kept = this.#kept.get(key);
      if (kept === undefined) continue;
      found.set(id, kept.text);
      kept.at = now;
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      kept.mine.keys.delete(key);
      kept.mine.keys.add(key);
    }
    return found;
  }

  clear(): void {
    for (const key of this.#kept.keys()) this.#drop(key);
  }

  #add(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#bytes += kept.bytes;
    this.#byOwner.set(kept.mine.owner, kept.mine);
    kept.mine.bytes += kept.bytes;
    kept.mine.keys.add(key);
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= kept.bytes;
    this.#budget?.give(kept.bytes);
    kept.mine.bytes -= kept.bytes;
    kept.mine.keys.delete(key);
    if (kept.mine.keys.size === 0) this.#byOwner.delete(kept.mine.owner);
  }

  #expire(ttl: number, now: number): void {
    for (const [key, { at }] of this.#kept) {
      if (now - at <= ttl) return;
      this.#drop(key);
    }
  }
}
