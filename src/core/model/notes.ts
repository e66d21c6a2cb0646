import type { Budget } from '../memory/budget.ts';

/**
 * What a later request of a conversation needs although clients do not send it back: text, by the id of the tool call
 * that it belongs to as the client knows it.
 */
export interface Note {
  readonly id: string;
  readonly text: string;
}

/** The notes of one caller at one account of a provider. */
export interface Notes {
  recall(ids: readonly string[]): ReadonlyMap<string, string>;
  keep(note: Note): void;
}

/** How much is kept, and how long. Sizes in bytes, time in milliseconds since a note was last used. */
export interface NoteBounds {
  readonly size: number;
  readonly perKey: number;
  readonly ttl: number;
}

/** Whose note it is, and where it may be used again. */
export interface NoteScope {
  /** The gateway key: what one of them keeps takes no room of the others beyond its bound. */
  readonly owner: string;
  /** Everything that must be the same: owner, provider account, model. */
  readonly place: string;
}

/** The circumstances in which a note is kept: the bounds of the configuration of now, and what all requests hold. */
export interface Keeping {
  readonly bounds: NoteBounds;
  readonly budget: Budget;
  /** Unix milliseconds. */
  readonly now: number;
}

/** What one key has here, the note that was not used for longest first. */
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

/** What a kept note costs beside its texts, roughly: entries of two maps and an object. */
const overhead = 200;

/** Memory never takes more of `server.memory` than this part. */
const shareOfBudget = 1 / 8;

/**
 * Notes of all callers, bounded in bytes as a whole and for each key, and in time. The oldest ones go first. Counts
 * against the budget of all requests.
 */
export class NoteMemory {
  /** A map keeps the order of insertion: the first note is the one that was not used for longest. */
  readonly #kept = new Map<string, Kept>();
  readonly #byOwner = new Map<string, Owned>();
  /** Of the process, like the memory: known with the first note. */
  #budget: Budget | undefined;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Keys that have a note here. */
  get owners(): number {
    return this.#byOwner.size;
  }

  keep({ owner, place }: NoteScope, { id, text }: Note, { bounds, budget, now }: Keeping): void {
    this.#budget ??= budget;
    const key = `${place}\n${id}`;
    this.#drop(key);
    this.#expire(bounds.ttl, now);
    // Strings of more than Latin letters take two bytes a character.
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

  /** Those of the notes that are known. Each is good for the whole time again. */
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
