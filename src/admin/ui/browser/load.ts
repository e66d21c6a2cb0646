import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './api.ts';
import { hasEnded } from './session.ts';

export interface Loaded<T> {
  /** The last result, also while the next one is loading, so that the layout does not jump. After an error only for the same `deps`. */
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
}

/** Milliseconds after which a call to an unreachable gateway is repeated. */
export const unreachableRetryMs = 3000;

/**
 * Loads when `deps` change, and every `every` milliseconds while the page is visible. After the end of a session, it loads when
 * the user has signed in again.
 * An older response never replaces a newer one.
 */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, deps: readonly unknown[], every?: number): Loaded<T> {
  const [state, setState] = useState<{ data: T | undefined; error: ApiError | undefined; loading: boolean }>({
    data: undefined,
    error: undefined,
    loading: true,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const isBusy = useRef(false);
  /** The `deps` of the last result. */
  const known = useRef<readonly unknown[]>([]);
  const isEnded = hasEnded.value;
  useEffect(() => {
    if (isEnded) return undefined;
    const abort = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    isBusy.current = true;
    latest
      .current(abort.signal)
      .then((data) => {
        if (abort.signal.aborted) return;
        isBusy.current = false;
        known.current = deps;
        setState({ data, error: undefined, loading: false });
      })
      .catch((error: unknown) => {
        if (abort.signal.aborted || hasEnded.peek()) return;
        isBusy.current = false;
        const isSame = deps.every((dep, i) => Object.is(dep, known.current[i]));
        setState(({ data }) => ({ data: isSame ? data : undefined, error: toApiError(error), loading: false }));
      });
    return () => abort.abort();
  }, [...deps, turn, isEnded]);
  useEffect(() => {
    if (every === undefined) return undefined;
    const poll = (): void => {
      // Do not repeat a call that is still running, because that would abort it.
      if (document.visibilityState === 'visible' && !isBusy.current) setTurn((n) => n + 1);
    };
    const timer = setInterval(poll, every);
    // Refresh when the page becomes visible again.
    document.addEventListener('visibilitychange', poll);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', poll);
    };
  }, [every]);
  const reload = (): void => setTurn((n) => n + 1);
  useRetryWhenUnavailable(state, reload);
  return { ...state, reload };
}

/** Wait before a call to a failing log is repeated, as a multiple of its duration: a slow query must not slow down the log further. */
const failingLogFactor = 10;

/** Repeats calls to an unreachable gateway or request log until one succeeds. */
export function useRetryWhenUnavailable({ error, loading }: Pick<Loaded<unknown>, 'error' | 'loading'>, reload: () => void): void {
  const latest = useRef(reload);
  latest.current = reload;
  const startedAt = useRef(0);
  useEffect(() => {
    if (loading) startedAt.current = performance.now();
  }, [loading]);
  const code = loading ? undefined : error?.code;
  useEffect(() => {
    if (code !== 'unreachable' && code !== 'log_unavailable') return undefined;
    const durationMs = code === 'unreachable' ? 0 : performance.now() - startedAt.current;
    const timer = setTimeout(() => latest.current(), Math.max(unreachableRetryMs, failingLogFactor * durationMs));
    return () => clearTimeout(timer);
  }, [code]);
}

export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(error instanceof Error ? error.message : String(error), 0, 'unknown');
