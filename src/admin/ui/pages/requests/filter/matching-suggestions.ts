import type { Suggestion } from '../../../../../core/logs/reader.ts';
import { inputAtCursor } from '../../../../../query/suggest.ts';

/** Suggestions, and the text and cursor position for which they were requested. */
export interface ReceivedSuggestions {
  readonly text: string;
  readonly cursor: number;
  readonly list: readonly Suggestion[];
}

export const noSuggestions: ReceivedSuggestions = { text: '', cursor: 0, list: [] };

/**
 * The suggestions that fit a text, because the user may have typed on since the request. They replace the current word, so
 * that text typed in the meantime is not lost.
 */
export function matchingSuggestions(
  { text: before, cursor: cursorBefore, list }: ReceivedSuggestions,
  text: string,
  cursor: number,
): readonly Suggestion[] {
  if (list.length === 0 || (text === before && cursor === cursorBefore)) return list;
  if (text.slice(cursor) !== before.slice(cursorBefore)) return [];
  const typed = inputAtCursor(text, cursor);
  if (typed.kind === 'nothing') return [];
  const kind = typed.kind === 'name' ? 'field' : 'value';
  const begins = typed.prefix.toLowerCase();
  return list
    .filter(
      (entry) =>
        entry.kind === kind &&
        entry.from === typed.from &&
        before.slice(0, entry.from) === text.slice(0, entry.from) &&
        entry.insert.toLowerCase().includes(begins),
    )
    .map((entry) => ({ ...entry, to: typed.to }));
}
