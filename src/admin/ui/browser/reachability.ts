import { signal } from '@preact/signals';

/** Unix milliseconds of the first call that did not reach the gateway; undefined if the last call did. */
export const unreachableSince = signal<number | undefined>(undefined);

export const markReachable = (): void => void (unreachableSince.value = undefined);

export function markUnreachable(): void {
  unreachableSince.value ??= Date.now();
}
