import { isPlain, type Plain } from '../../../core/json/merge.ts';

/** One stretch of the answer and the pages it rests on, in OpenAI's form. */
export type Annotation = {
  readonly type: 'url_citation';
  readonly url_citation: { readonly start_index: number; readonly end_index: number; readonly url: string; readonly title: string };
};

/**
 * Grounding as annotations. The service counts UTF-8 bytes within one text part, OpenAI characters of the whole answer.
 * `texts` are the answer's text parts by their index among all parts.
 */
export function annotationsOf(grounding: unknown, texts: readonly (string | undefined)[]): readonly Annotation[] {
  if (!isPlain(grounding) || !Array.isArray(grounding['groundingSupports'])) return [];
  const pages: readonly unknown[] = Array.isArray(grounding['groundingChunks']) ? (grounding['groundingChunks'] as unknown[]) : [];
  return (grounding['groundingSupports'] as unknown[]).filter(isPlain).flatMap((support) => {
    const segment = isPlain(support['segment']) ? support['segment'] : {};
    const range = rangeOf(segment, texts);
    const indices: readonly unknown[] = Array.isArray(support['groundingChunkIndices'])
      ? (support['groundingChunkIndices'] as unknown[])
      : [];
    if (range === undefined) return [];
    return indices.flatMap((index) => {
      const page = pageOf(pages[Number(index)]);
      return page === undefined ? [] : [{ type: 'url_citation' as const, url_citation: { ...range, ...page } }];
    });
  });
}

/** The text parts of a streamed answer, for its annotations. A part may come in the fragments of several events. */
export class TextParts {
  readonly #parts: (string[] | undefined)[] = [];
  #isContinued = false;

  /** A new event begins: its first part may go on with the last one of the event before. */
  nextEvent(): void {
    this.#isContinued = true;
  }

  /** @param joins the part is of the same kind as the one before, and neither is signed */
  add(text: string | undefined, joins: boolean): void {
    const last = this.#parts.at(-1);
    const goesOn = this.#isContinued && joins && this.#parts.length > 0;
    this.#isContinued = false;
    if (!goesOn) this.#parts.push(text === undefined ? undefined : [text]);
    else if (text !== undefined) last?.push(text);
  }

  annotations(grounding: unknown): readonly Annotation[] {
    if (grounding === undefined) return [];
    return annotationsOf(
      grounding,
      this.#parts.map((part) => part?.join('')),
    );
  }
}

function rangeOf(segment: Plain, texts: readonly (string | undefined)[]): { start_index: number; end_index: number } | undefined {
  const first = texts.findIndex((text) => text !== undefined && text !== '');
  const part = typeof segment['partIndex'] === 'number' ? segment['partIndex'] : first;
  const text = texts[part];
  if (text === undefined) return undefined;
  const before = texts.slice(0, part).reduce((sum, one) => sum + (one?.length ?? 0), 0);
  const bytes = Buffer.from(text, 'utf8');
  const characters = (end: unknown): number => bytes.toString('utf8', 0, typeof end === 'number' ? end : 0).length;
  return { start_index: before + characters(segment['startIndex']), end_index: before + characters(segment['endIndex']) };
}

function pageOf(chunk: unknown): { url: string; title: string } | undefined {
  if (!isPlain(chunk)) return undefined;
  const page = [chunk['web'], chunk['retrievedContext'], chunk['maps']].find(isPlain);
  if (page === undefined || typeof page['uri'] !== 'string') return undefined;
  return { url: page['uri'], title: typeof page['title'] === 'string' ? page['title'] : '' };
}
