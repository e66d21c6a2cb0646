import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { SearchPage } from '../../../../../core/logs/reader.ts';
import type { LogRow } from '../../../../../core/logs/row.ts';
import { type ApiError, get } from '../../../browser/api.ts';
import { useDelayedTrue } from '../../../browser/use-delayed-true.ts';
import { toApiError, useRetryWhenUnavailable } from '../../../browser/load.ts';
import { hasEnded } from '../../../browser/session.ts';

const pageSize = 100;
/** Milliseconds until a record is stored. */
export const storageDelayMs = 1500;
/** Maximum number of rows in memory. To see more, the user must narrow the filter. */
export const maxRows = 20_000;

export interface Rows {
  readonly rows: readonly LogRow[];
  /** Undefined: not loaded yet; null: there are no more. */
  readonly next: string | null | undefined;
  readonly loading: boolean;
  /** True if the rows belong to the previous filter, because the new ones are still loading. */
  readonly isOld: boolean;
  readonly error: ApiError | undefined;
  readonly loadMore: () => void;
  readonly reload: () => void;
  readonly prepend: (rows: readonly LogRow[]) => void;
}

interface State {
  readonly rows: readonly LogRow[];
  /** The filter of these rows. */
  readonly query: string;
  readonly next: string | null | undefined;
  readonly error: ApiError | undefined;
}

/**
 * Loads the rows of a filter, page by page. While the rows of a new filter are loading, or if it is invalid, the old rows stay.
 * Rows that were stored too late for the first page are passed to `late`, like live rows, so that the list does not jump.
 */
export function useRows(query: string, isValid: boolean, late: { readonly current: (rows: readonly LogRow[]) => void }): Rows {
  const [state, setState] = useState<State>({ rows: [], query, next: undefined, error: undefined });
  const [loading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  const running = useRef<AbortController | undefined>(undefined);
  /** The cursor of the page that was requested last. */
  const requestedCursor = useRef<string | undefined>(undefined);
  /** Live rows that arrived while the first page was loading. It may not contain them. */
  const arrived = useRef<readonly LogRow[]>([]);
  const now = useRef(state);
  now.current = state;

  const load = useCallback(
    async (before: string | undefined): Promise<void> => {
      running.current?.abort();
      const abort = new AbortController();
      running.current = abort;
      requestedCursor.current = before;
      arrived.current = [];
      setLoading(true);
      try {
        const page = await get<SearchPage>('/api/requests', { q: query, before, limit: pageSize }, abort.signal);
        if (abort.signal.aborted) return;
        const kept = before === undefined ? arrived.current : now.current.rows;
        setState({ rows: newestFirst(mergeRows(kept, page.rows)), query, next: page.next, error: undefined });
      } catch (error) {
        if (!abort.signal.aborted && !hasEnded.peek()) setState({ ...now.current, error: toApiError(error) });
      }
      if (running.current === abort) {
        running.current = undefined;
        setLoading(false);
      }
    },
    [query],
  );

  const isEnded = hasEnded.value;
  useEffect(() => {
    if (isValid && !isEnded) void load(undefined);
  }, [load, isValid, turn, isEnded]);
  useEffect(() => () => running.current?.abort(), []);
  useLateRows(query, isValid && !isEnded, turn, { running, now, late });
  useRetryWhenUnavailable({ error: state.error, loading }, () => void (isValid && !isEnded && load(requestedCursor.current)));

  return {
    ...state,
    loading,
    isOld: useDelayedTrue(loading && state.query !== query && state.rows.length > 0),
    loadMore: () => {
      const { next, rows } = now.current;
      if (running.current === undefined && typeof next === 'string' && rows.length < maxRows) void load(next);
    },
    reload: () => setTurn((n) => n + 1),
    prepend: (fresh) => {
      if (running.current !== undefined) arrived.current = [...fresh, ...arrived.current];
      setState((before) => ({ ...before, rows: newestFirst(mergeRows(fresh, before.rows)).slice(0, maxRows) }));
    },
  };
}

interface ListRefs {
  readonly running: { readonly current: AbortController | undefined };
  readonly now: { readonly current: State };
  readonly late: { readonly current: (rows: readonly LogRow[]) => void };
}

/** Loads rows that ended just before the first page was read: they were stored after it, but ended before the live tail began. */
function useLateRows(query: string, isOn: boolean, turn: number, { running, now, late }: ListRefs): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const abort = new AbortController();
    const loadLateRows = (): void => {
      if (running.current !== undefined) {
        timer = setTimeout(loadLateRows, storageDelayMs);
        return;
      }
      get<SearchPage>('/api/requests', { q: query, limit: pageSize }, abort.signal)
        .then((page) => {
          const seen = new Set(now.current.rows.map(({ id }) => id));
          if (!abort.signal.aborted) late.current(page.rows.filter(({ id }) => !seen.has(id)));
        })
        // The first call has already reported the error.
        .catch(() => undefined);
    };
    let timer = setTimeout(loadLateRows, storageDelayMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [query, isOn, turn]);
}

/** Live rows arrive in the order of their end times. */
const newestFirst = (rows: readonly LogRow[]): readonly LogRow[] => rows.toSorted((a, b) => b.at - a.at);

/** Live rows and a page may overlap, so the same request must not be listed twice. */
function mergeRows(first: readonly LogRow[], second: readonly LogRow[]): readonly LogRow[] {
  const seen = new Set(first.map(({ id }) => id));
  return [...first, ...second.filter(({ id }) => !seen.has(id))];
}
