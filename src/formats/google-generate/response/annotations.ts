import type { ModelEvent } from '../../../core/events.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { RetainedSize } from '../../shared/response/retained-size.ts';
import { objectOf, stringOf, listOf } from '../../shared/json.ts';

/** A range of the response text and a page that supports it, in OpenAI's form. */
export type Annotation = {
  readonly type: 'url_citation';
  readonly url_citation: { readonly start_index: number; readonly end_index: number; readonly url: string; readonly title: string };
};

/**
 * Converts grounding to annotations. The service counts UTF-8 bytes within one text part, OpenAI characters of the whole
 * response. `texts` are the text parts of the response by their index among all parts.
 *
 * @throws GatewayError `upstream_invalid` above the size limit: each range repeats the pages that support it
 */
export function annotationsOf(grounding: unknown, texts: readonly (string | undefined)[]): readonly Annotation[] {
  if (!isJsonObject(grounding) || !Array.isArray(grounding['groundingSupports'])) return [];
  const pages = listOf(grounding['groundingChunks']);
  const parts = new Parts(texts);
  const retained = new RetainedSize();
  return (grounding['groundingSupports'] as unknown[]).filter(isJsonObject).flatMap((support) => {
    const range = parts.rangeOf(objectOf(support['segment']));
    const indices = listOf(support['groundingChunkIndices']);
    if (range === undefined) return [];
    return indices.flatMap((index) => {
      const page = pageOf(pages[Number(index)]);
      if (page === undefined) return [];
      retained.add(page.url.length + page.title.length);
      return [{ type: 'url_citation' as const, url_citation: { ...range, ...page } }];
    });
  });
}

/** Collects the text parts of a streamed response, for its annotations. A part may be split over several events. */
export class TextParts {
  readonly #parts: (string[] | undefined)[] = [];
  readonly #sent = new Set<string>();
  #isContinued = false;

  /** Begins an event. Its first part may continue the last part of the event before. */
  nextEvent(): void {
    this.#isContinued = true;
  }

  /** @param joins true if the part is of the same kind as the one before, and neither is signed */
  add(text: string | undefined, joins: boolean): void {
    const last = this.#parts.at(-1);
    const isContinuation = this.#isContinued && joins && this.#parts.length > 0;
    this.#isContinued = false;
    if (!isContinuation) this.#parts.push(text === undefined ? undefined : [text]);
    else if (text !== undefined) last?.push(text);
  }

  /** Returns an event with the annotations that no event had before. */
  events(choice: number, extras: JsonObject | undefined): readonly ModelEvent[] {
    const added = this.annotations(extras?.['groundingMetadata']).filter((one) => !this.#sent.has(JSON.stringify(one)));
    for (const one of added) this.#sent.add(JSON.stringify(one));
    return added.length === 0 ? [] : [{ type: 'annotations', choice, annotations: added }];
  }

  annotations(grounding: unknown): readonly Annotation[] {
    if (grounding === undefined) return [];
    return annotationsOf(
      grounding,
      this.#parts.map((part) => part?.join('')),
    );
  }
}

/** Maps positions in text parts to positions in the text of the response. */
class Parts {
  readonly #texts: readonly (string | undefined)[];
  /** The part that is used if the service gives no index. */
  readonly #first: number;
  /** Number of characters before each part. */
  readonly #before: readonly number[];
  readonly #offsets = new Map<number, ByteOffsets>();

  constructor(texts: readonly (string | undefined)[]) {
    this.#texts = texts;
    this.#first = texts.findIndex((text) => text !== undefined && text !== '');
    let length = 0;
    this.#before = texts.map((text) => {
      const before = length;
      length += text?.length ?? 0;
      return before;
    });
  }

  rangeOf({ partIndex, startIndex, endIndex }: JsonObject): { start_index: number; end_index: number } | undefined {
    const part = typeof partIndex === 'number' ? partIndex : this.#first;
    const text = this.#texts[part];
    if (text === undefined) return undefined;
    const before = this.#before[part] ?? 0;
    const offsets = this.#offsets.get(part) ?? new ByteOffsets(text);
    this.#offsets.set(part, offsets);
    return { start_index: before + offsets.characters(startIndex), end_index: before + offsets.characters(endIndex) };
  }
}

/** Bytes between two positions whose character count is stored. */
const stride = 1024;

/** Converts byte offsets of a UTF-8 text to character offsets. A text is queried often, so it is counted once. */
class ByteOffsets {
  readonly #bytes: Buffer;
  /** Number of characters before each multiple of `stride`. */
  readonly #marks: number[] = [0];

  constructor(text: string) {
    this.#bytes = Buffer.from(text, 'utf8');
    for (let at = 0; at + stride <= this.#bytes.length; at += stride)
      this.#marks.push((this.#marks.at(-1) ?? 0) + charactersIn(this.#bytes, at, at + stride));
  }

  /** @param end in bytes; anything but a number means the beginning */
  characters(end: unknown): number {
    const to = typeof end === 'number' ? Math.min(Math.max(0, Math.trunc(end)), this.#bytes.length) : 0;
    const mark = Math.trunc(to / stride);
    return (this.#marks[mark] ?? 0) + charactersIn(this.#bytes, mark * stride, to);
  }
}

/** Counts the characters that begin in a range, in UTF-16 units: a character of four bytes counts twice. */
function charactersIn(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0xf0) count += 2;
    else if ((byte & 0xc0) !== 0x80) count += 1;
  }
  return count;
}

function pageOf(chunk: unknown): { url: string; title: string } | undefined {
  if (!isJsonObject(chunk)) return undefined;
  const page = [chunk['web'], chunk['retrievedContext'], chunk['maps']].find(isJsonObject);
  if (page === undefined || typeof page['uri'] !== 'string') return undefined;
  return { url: page['uri'], title: stringOf(page['title']) };
}
