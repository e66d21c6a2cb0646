import type { MemoryBudget } from '../memory/budget.ts';

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
export interface NoteConditions {
  readonly bounds: NoteBounds;
  readonly budget: MemoryBudget;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The notes of one key, the least recently used first. */
interface OwnerNotes {
  readonly owner: string;
  readonly keys: Set<string>;
  bytes: number;
}

interface StoredNote {
  readonly ownerNotes: OwnerNotes;
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
  readonly #notes = new Map<string, StoredNote>();
  readonly #byOwner = new Map<string, OwnerNotes>();
  /** Budget of the process, set with the first note. */
  #budget: MemoryBudget | undefined;
  #bytes = 0;

  /** Number of keys that have notes. */
  get owners(): number {
    return this.#byOwner.size;
  }

  keep({ owner, place }: NoteScope, { id, text }: Note, { bounds, budget, now }: NoteConditions): void {
    this.#budget ??= budget;
    const key = `${place}\n${id}`;
    this.#drop(key);
    this.#expire(bounds.ttl, now);
    // V8 stores strings with characters beyond Latin-1 in two bytes per character.
    const bytes = 2 * (key.length + text.length) + overhead;
    const size = Math.min(bounds.size, budget.limit * shareOfBudget);
    if (bytes > size || bytes > bounds.perKey) return;
    const ownerNotes = this.#byOwner.get(owner) ?? { owner, keys: new Set(), bytes: 0 };
    for (const oldest of ownerNotes.keys) {
      if (ownerNotes.bytes + bytes <= bounds.perKey) break;
      this.#drop(oldest);
    }
    for (const oldest of this.#notes.keys()) {
      if (this.#bytes + bytes <= size) break;
      this.#drop(oldest);
    }
    if (budget.take(bytes)) this.#add(key, { ownerNotes, text, bytes, at: now });
  }

  /** Returns the known notes among these IDs, and renews their time to live. */
  recall({ place }: NoteScope, ids: readonly string[], ttl: number, now: number): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    this.#expire(ttl, now);
    for (const id of ids) {
      const key = `${place}\n${id}`;
      const kept = this.#notes.get(key);
      if (kept === undefined) continue;
      found.set(id, kept.text);
      kept.at = now;
      this.#notes.delete(key);
      this.#notes.set(key, kept);
      kept.ownerNotes.keys.delete(key);
      kept.ownerNotes.keys.add(key);
    }
    return found;
  }

  clear(): void {
    for (const key of this.#notes.keys()) this.#drop(key);
  }

  #add(key: string, kept: StoredNote): void {
    this.#notes.set(key, kept);
    this.#bytes += kept.bytes;
    this.#byOwner.set(kept.ownerNotes.owner, kept.ownerNotes);
    kept.ownerNotes.bytes += kept.bytes;
    kept.ownerNotes.keys.add(key);
  }

  #drop(key: string): void {
    const kept = this.#notes.get(key);
    if (kept === undefined) return;
    this.#notes.delete(key);
    this.#bytes -= kept.bytes;
    this.#budget?.give(kept.bytes);
    kept.ownerNotes.bytes -= kept.bytes;
    kept.ownerNotes.keys.delete(key);
    if (kept.ownerNotes.keys.size === 0) this.#byOwner.delete(kept.ownerNotes.owner);
  }

  #expire(ttl: number, now: number): void {
    for (const [key, { at }] of this.#notes) {
      if (now - at <= ttl) return;
      this.#drop(key);
    }
  }
}
