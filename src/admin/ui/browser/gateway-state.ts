import { signal } from '@preact/signals';

/** Unix milliseconds of the first call that did not reach the gateway; undefined if the last call did. */
export const unreachableSince = signal<number | undefined>(undefined);

export function markUnreachable(): void {
  unreachableSince.value ??= Date.now();
}

/** Milliseconds by which the gateway's clock is ahead of the browser's. */
let clockOffset = 0;
/** Smaller offsets are not known: a response has the time of the gateway in whole seconds, and takes a moment to arrive. */
const minClockOffset = 5000;

/** @param date the `date` header of a response that has just arrived */
export function markReachable(date: string | null): void {
  unreachableSince.value = undefined;
  const offset = Date.parse(date ?? '') - Date.now();
  clockOffset = Math.abs(offset) >= minClockOffset ? offset : 0;
}

/** Unix milliseconds by the clock of the gateway, to compare with its times: the browser's clock may be wrong. */
export const gatewayNow = (): number => Date.now() + clockOffset;
