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
/** Maximum size of all elements together, in bytes. */
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

  /** @param checksum of the bytes, by `checksumOf` */
  find(bytes: Buffer, checksum: number): KnownElement | undefined {
    const known = this.#byChecksum.get(checksum);
    return known?.bytes.equals(bytes) === true ? known : undefined;
  }

  /** @param bytes copied */
  add(bytes: Buffer, checksum: number, edits: readonly Edit[]): KnownElement {
    const size = bytes.length + sizeOfEntry * (1 + edits.length);
    if (this.#size + size > maxTotalSize) this.#clear();
    this.#size += size;
    const known: KnownElement = { bytes: Buffer.from(bytes), edits, next: undefined };
    this.#byChecksum.set(checksum, known);
    return known;
  }

  /** Elements refer to each other, so all are released together. */
  #clear(): void {
    this.#byChecksum.clear();
    this.#size = 0;
  }
}
