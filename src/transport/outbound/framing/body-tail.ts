import { responseLimits } from '../../../core/json/limits.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
import { flawOf, tryParseJson } from '../../../core/json/scan.ts';
import { appendBytes } from '../../../core/memory/byte-pieces.ts';
import type { Tap } from '../../../core/tap.ts';

/** Enough for what services write after the data: usage, model, and a response's metadata (16 pairs of at most 576 characters). */
const tailLimit = 16 * 1024;

/** Maximum number of places that are tried as the beginning of the last members. */
const maxPlaces = 16;

/** The end of a JSON response that is too large to hold, for its usage: data comes first and usage last in every format. */
export class BodyTail {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  /** @param chunk kept until the following chunks are larger than the tail */
  push(chunk: Buffer): void {
    appendBytes(this.#chunks, chunk);
    this.#length += chunk.length;
    for (let [first] = this.#chunks; first !== undefined && this.#length - first.length >= tailLimit; [first] = this.#chunks) {
      this.#chunks.shift();
      this.#length -= first.length;
    }
  }

  /** Gives a tap the last members of the response. Of a response that was sent already, an error changes nothing. */
  readInto(tap: Tap): void {
    const text = lastMembers(Buffer.concat(this.#chunks, this.#length).subarray(-tailLimit).toString('utf8'));
    if (text === undefined) return;
    const members = tryParseJson(text);
    if (isJsonObject(members) && (members['error'] ?? null) === null) tap.whole(text);
  }
}

/** The last bytes of a buffered body, copied, so that the body itself can be given back. */
export const copiedTail = (chunks: readonly Buffer[]): Buffer => {
  const last: Buffer[] = [];
  for (let i = chunks.length - 1, length = 0; i >= 0 && length < tailLimit; i -= 1) {
    const chunk = chunks[i]?.subarray(-tailLimit) ?? Buffer.alloc(0);
    length += chunk.length;
    last.unshift(chunk);
  }
  return Buffer.concat(last);
};

/**
 * The last members of a JSON object, from `usage` or `model` on, as an object; undefined if the end of its text does not have them.
 * Members of an inner object are not followed by a balanced text, and strings cannot contain a quote without a backslash.
 */
export function lastMembers(end: string): string | undefined {
  const places: number[] = [];
  for (let at = end.length; at > 0 && places.length < maxPlaces; ) {
    at = Math.max(end.lastIndexOf('"usage"', at - 1), end.lastIndexOf('"model"', at - 1));
    if (at > 0 && /[{,]\s*$/.test(end.slice(Math.max(0, at - 100), at))) places.push(at);
  }
  for (const at of places.toReversed()) {
    const text = `{${end.slice(at)}`;
    if (flawOf(text, responseLimits) === undefined) return text;
  }
  return undefined;
}
