import { useEffect, useRef, useState } from 'preact/hooks';
import type { Suggestion } from '../../../../../core/logs/reader.ts';
import { get } from '../../../browser/api.ts';
import { matchingSuggestions, noSuggestions } from './matching-suggestions.ts';

const debounceMs = 120;
const maxSuggestions = 12;

interface SuggestionState {
  /** Suggestions that fit the current text, never an older one. */
  readonly list: readonly Suggestion[];
  /** Index of the suggestion that Enter selects; -1: none. */
  readonly active: number;
  readonly activate: (index: number) => void;
  /** Requests suggestions for a changed text and its cursor position. */
  readonly request: (text: string, cursor: number) => void;
  readonly close: () => void;
}

/** Suggestions for a text, requested shortly after the last key. An older response never replaces a newer one. */
export function useSuggestions(text: string): SuggestionState {
  const [suggested, setSuggested] = useState(noSuggestions);
  const [cursor, setCursor] = useState(text.length);
  // Identified by its text, because a newer list may have it at another index.
  const [chosen, setChosen] = useState<string>();
  const pending = useRef<{ timer: ReturnType<typeof setTimeout>; abort: AbortController } | undefined>(undefined);
  const list = matchingSuggestions(suggested, text, cursor);
  const stop = (): void => {
    clearTimeout(pending.current?.timer);
    pending.current?.abort.abort();
    pending.current = undefined;
  };
  useEffect(() => stop, []);
  const requestSuggestions = (now: string, at: number): void => {
    stop();
    setCursor(at);
    setChosen(undefined);
    const abort = new AbortController();
    const timer = setTimeout(() => {
      get<readonly Suggestion[]>('/api/suggest', { text: now, cursor: at }, abort.signal)
        .then((found) => {
          if (!abort.signal.aborted) setSuggested({ text: now, cursor: at, list: found.slice(0, maxSuggestions) });
        })
        // The field also works without suggestions.
        .catch(() => undefined);
    }, debounceMs);
    pending.current = { timer, abort };
  };
  const close = (): void => {
    stop();
    setChosen(undefined);
    setSuggested(noSuggestions);
  };
  return {
    list,
    active: list.findIndex(({ insert }) => insert === chosen),
    activate: (index) => setChosen(list[index]?.insert),
    request: requestSuggestions,
    close,
  };
}
