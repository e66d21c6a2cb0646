import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../browser/api.ts';
import { toApiError } from '../browser/load.ts';

export interface Action<T> {
  readonly busy: boolean;
  readonly error: ApiError | undefined;
  /** Result of the last successful run. */
  readonly result: T | undefined;
  /** Runs the action. Does nothing while a run is in progress. */
  readonly run: (work: (signal: AbortSignal) => Promise<T>) => void;
}

/** A call that the user starts. It is aborted when the component is removed. */
export function useAction<T>(onDone?: (result: T) => void): Action<T> {
  const [state, setState] = useState<Omit<Action<T>, 'run'>>({ busy: false, error: undefined, result: undefined });
  const current = useRef<AbortController | undefined>(undefined);
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => () => current.current?.abort(), []);
  const run: Action<T>['run'] = (work) => {
    if (current.current !== undefined) return;
    const abort = new AbortController();
    current.current = abort;
    setState((before) => ({ ...before, busy: true, error: undefined }));
    work(abort.signal)
      .then((result) => {
        current.current = undefined;
        if (abort.signal.aborted) return;
        setState({ busy: false, error: undefined, result });
        done.current?.(result);
      })
      .catch((error: unknown) => {
        current.current = undefined;
        if (!abort.signal.aborted) setState((before) => ({ ...before, busy: false, error: toApiError(error) }));
      });
  };
  return { ...state, run };
}
