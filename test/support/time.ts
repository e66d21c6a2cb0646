import { onTestFinished, vi } from 'vitest';

/** The time of this process, which a test holds. */
export interface HeldTime {
  /** Lets so many milliseconds pass at once. */
  pass(ms: number): void;
  /** Lets it run again. */
  release(): void;
}

/**
 * Time stands still: no clock of a gateway in this process runs out however long the machine takes. Timers run, and see
 * the time that the test has let pass.
 */
export function holdTime(): HeldTime {
  let now = performance.now();
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const release = (): void => spy.mockRestore();
  onTestFinished(release);
  return { pass: (ms) => void (now += ms), release };
}

/**
 * Lets the sockets of this process have their turns. Each turn reads what has arrived, also when the machine has stood
 * still meanwhile, which a pause of some milliseconds does not.
 */
export async function turns(count = 30): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
}
