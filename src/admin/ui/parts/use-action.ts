import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../browser/api.ts';
import { toApiError } from '../browser/load.ts';

export interface Action<T> {
  readonly busy: boolean;
  readonly error: ApiError | undefined;
  /** Of the last run that succeeded. */
  readonly result: T | undefined;
  /** One at a time; a run while another is on its way does nothing. */
  readonly run: (work: (signal: AbortSignal) => Promise<T>) => void;
}

/** A call that a person starts. It ends with the component. */
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
