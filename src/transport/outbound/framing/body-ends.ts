import { responseLimits } from '../../../core/json/limits.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
import { completeMembers, flawOf, tryParseJson } from '../../../core/json/scan.ts';
import { appendBytes } from '../../../core/memory/byte-pieces.ts';
import type { Tap } from '../../../core/tap.ts';

/** Enough for what services write before the data: id, model, status, and the instructions of a response. */
const headLimit = 64 * 1024;

/** Enough for what services write after the data: usage, model, and a response's metadata (16 pairs of at most 576 characters). */
const tailLimit = 16 * 1024;

/** Maximum number of places that are tried as the beginning of the last members. */
const maxPlaces = 16;

/** The beginning and the end of a JSON response that is too large to hold, for its usage, which is before or after the data. */
export class BodyEnds {
  /** The first members, without braces. */
  readonly #first: string;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  /** @param chunks the bytes so far, more than the limits of both ends; they are not kept */
  constructor(chunks: readonly Buffer[]) {
    this.#first = firstMembers(chunks);
    this.push(copiedTail(chunks));
  }

  /** @param chunk kept until the following chunks are larger than the tail */
  push(chunk: Buffer): void {
    appendBytes(this.#chunks, chunk);
    this.#length += chunk.length;
    for (let [first] = this.#chunks; first !== undefined && this.#length - first.length >= tailLimit; [first] = this.#chunks) {
      this.#chunks.shift();
      this.#length -= first.length;
    }
  }

  /** Gives a tap the first and last members of the response. Of a response that was sent already, an error changes nothing. */
  readInto(tap: Tap): void {
    const last = lastMembers(Buffer.concat(this.#chunks, this.#length).subarray(-tailLimit).toString('utf8'));
    const text = `{${[this.#first, last?.slice(1, -1) ?? ''].filter((each) => each !== '').join(',')}}`;
    const members = tryParseJson(text);
    if (!isJsonObject(members) || (members['error'] ?? null) !== null) return;
    if ('usage' in members || 'model' in members) tap.whole(text);
  }
}

/** The first members of a JSON object as text; empty if the first one is larger than the limit. */
function firstMembers(chunks: readonly Buffer[]): string {
  const first: Buffer[] = [];
  for (let i = 0, length = 0; i < chunks.length && length < headLimit; i += 1) {
    const chunk = chunks[i]?.subarray(0, headLimit - length) ?? Buffer.alloc(0);
    length += chunk.length;
    first.push(chunk);
  }
  const text = Buffer.concat(first).toString('utf8');
  const members = completeMembers(text);
  return text.slice(members[0]?.keyStart ?? 0, members.at(-1)?.end ?? 0);
}

/** The last bytes of a buffered body, copied, so that the body itself can be given back. */
const copiedTail = (chunks: readonly Buffer[]): Buffer => {
  const last: Buffer[] = [];
  for (let i = chunks.length - 1, length = 0; i >= 0 && length < tailLimit; i -= 1) {
    const chunk = chunks[i]?.subarray(-tailLimit) ?? Buffer.alloc(0);
    length += chunk.length;
    last.unshift(chunk);
  }
  return Buffer.concat(last);
};

/** Members with which the last ones may begin: in the responses API, `tool_usage` precedes `usage`. */
const beginnings = ['"usage"', '"model"', '"tool_usage"'] as const;

/**
 * The last members of a JSON object, from `usage`, `tool_usage` or `model` on, as an object; undefined if the end of its text does not have them.
 * Members of an inner object are not followed by a balanced text, and strings cannot contain a quote without a backslash.
 */
export function lastMembers(end: string): string | undefined {
  const places: number[] = [];
  for (let at = end.length; at > 0 && places.length < maxPlaces; ) {
    at = Math.max(...beginnings.map((name) => end.lastIndexOf(name, at - 1)));
    if (at > 0 && /[{,]\s*$/.test(end.slice(Math.max(0, at - 100), at))) places.push(at);
  }
  for (const at of places.toReversed()) {
    const text = `{${end.slice(at)}`;
    if (flawOf(text, responseLimits) === undefined) return text;
  }
  return undefined;
}
