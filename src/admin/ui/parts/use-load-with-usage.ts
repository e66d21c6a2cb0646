import { useState } from 'preact/hooks';
import { type Loaded, useLoad } from '../browser/load.ts';
import { useDelayedTrue } from '../browser/use-delayed-true.ts';

export interface LoadedWithUsage<T> extends Loaded<T> {
  /** True while figures from the request log are still missing. */
  readonly isWithoutUsage: boolean;
}

/**
 * Loads a list with figures from the request log. If they take long, the list is shown without them in the meantime.
 *
 * @param load `usage`: the query parameter of the route
 */
export function useLoadWithUsage<T>(
  load: (usage: 'false' | undefined, signal: AbortSignal) => Promise<T>,
  deps: readonly unknown[],
  every: number,
): LoadedWithUsage<T> {
  const [turn, setTurn] = useState(0);
  const key = JSON.stringify([...deps, turn]);
  const whole = useLoad(async (signal) => ({ key, list: await load(undefined, signal) }), [key], every);
  const isCurrent = whole.data?.key === key;
  const isSlow = useDelayedTrue(!isCurrent && whole.loading);
  const part = useLoad(async (signal) => (isSlow ? { key, list: await load('false', signal) } : undefined), [key, isSlow]);
  const isWithoutUsage = !isCurrent && part.data?.key === key;
  return {
    data: (isWithoutUsage ? part.data : (whole.data ?? part.data))?.list,
    error: whole.error,
    loading: whole.loading,
    isWithoutUsage,
    reload: () => setTurn((n) => n + 1),
  };
}
