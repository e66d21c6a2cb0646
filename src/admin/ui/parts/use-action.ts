import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../browser/api.ts';
import { toApiError } from '../browser/load.ts';
import { notify } from '../browser/notify.ts';
import { hasEnded } from '../browser/session.ts';

export interface Action<T> {
  readonly busy: boolean;
  readonly error: ApiError | undefined;
  /** Result of the last successful run. */
  readonly result: T | undefined;
  /** Runs the action. Does nothing while a run is in progress. */
  readonly run: (work: (signal: AbortSignal) => Promise<T>) => void;
}

/**
 * A call that the user starts. It is aborted when the component is removed. With `onLeft` it continues, for a call that costs
 * money: `onLeft` gets its result, and an error is shown as a notification.
 */
export function useAction<T>(onDone?: (result: T) => void, onLeft?: (result: T) => void): Action<T> {
  const [state, setState] = useState<Omit<Action<T>, 'run'>>({ busy: false, error: undefined, result: undefined });
  const current = useRef<AbortController | undefined>(undefined);
  const done = useRef(onDone);
  done.current = onDone;
  const isLeft = useRef(false);
  useEffect(
    () => () => {
      isLeft.current = true;
      if (onLeft === undefined) current.current?.abort();
    },
    [],
  );
  const run: Action<T>['run'] = (work) => {
    if (current.current !== undefined) return;
    const abort = new AbortController();
    current.current = abort;
    setState((before) => ({ ...before, busy: true, error: undefined }));
    work(abort.signal)
      .then((result) => {
        current.current = undefined;
        if (abort.signal.aborted) return;
        if (isLeft.current) {
          onLeft?.(result);
          return;
        }
        setState({ busy: false, error: undefined, result });
        done.current?.(result);
      })
      .catch((error: unknown) => {
        current.current = undefined;
        if (abort.signal.aborted) return;
        if (isLeft.current) notify(toApiError(error).message, 'bad');
        // The page asks for a sign-in, after which the error would be out of date.
        else setState((before) => ({ ...before, busy: false, error: hasEnded.peek() ? undefined : toApiError(error) }));
      });
  };
  return { ...state, run };
}
