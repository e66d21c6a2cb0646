import { onTestFinished, vi } from 'vitest';

/** The clock of this process, controlled by a test. */
export interface HeldTime {
  /** Advances the time by this number of milliseconds at once. */
  pass(ms: number): void;
  /** Restores the real clock. */
  release(): void;
}

/**
 * Stops the clock: no timeout of a gateway in this process expires, however slow the machine is. Timers still run, and see the
 * time set by the test.
 */
export function holdTime(): HeldTime {
  let now = performance.now();
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const release = (): void => spy.mockRestore();
  onTestFinished(release);
  return { pass: (ms) => void (now += ms), release };
}

/**
 * Gives the sockets of this process time to be read. Each turn reads the data that has arrived, even if the machine was stalled in
 * between, which a single longer pause would not ensure.
 */
export async function turns(count = 30): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
}
