import type { Edit } from '../edits.ts';

/** An object in a list, and its edits, with offsets from its beginning. */
export interface KnownElement {
  readonly bytes: Buffer;
  readonly edits: readonly Edit[];
  /** The element that followed it last time. */
  next: KnownElement | undefined;
}

/** Maximum size of one element, in bytes. */
export const maxElementSize = 256 * 1024;
/** Maximum size of all elements together between two records, in bytes. */
const maxTotalSize = 8 * 1024 * 1024;
/** Approximate memory of an element besides its bytes. */
const sizeOfEntry = 320;

/**
 * The messages and tools of recent requests. Each request of an agent repeats its whole conversation, so that only the new
 * elements must be searched. An element is known only if all of its bytes are the same.
 */
export class KnownElements {
  readonly #byChecksum = new Map<number, KnownElement>();
  #size = 0;

  /** @param checksum CRC-32 of the bytes */
  find(bytes: Buffer, checksum: number): KnownElement | undefined {
    const known = this.#byChecksum.get(checksum);
    return known?.bytes.equals(bytes) === true ? known : undefined;
  }

  /** @param bytes copied */
  add(bytes: Buffer, checksum: number, edits: readonly Edit[]): KnownElement {
    this.#size += bytes.length + sizeOfEntry * (1 + edits.length);
    const known: KnownElement = { bytes: Buffer.from(bytes), edits, next: undefined };
    this.#byChecksum.set(checksum, known);
    return known;
  }

  /**
   * Releases all elements if there are too many: they refer to each other. Call it between records, because a body that was
   * found to be known is then masked on the event loop.
   */
  trim(): void {
    if (this.#size <= maxTotalSize) return;
    this.#byChecksum.clear();
    this.#size = 0;
  }
}
