import { signal } from '@preact/signals';

/** Unix milliseconds of the first call that did not reach the gateway; undefined if the last call did. */
export const awaySince = signal<number | undefined>(undefined);

export const reached = (): void => void (awaySince.value = undefined);

export function notReached(): void {
  awaySince.value ??= Date.now();
}
