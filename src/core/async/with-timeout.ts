import { timeoutAfterReads } from './timeout-after-reads.ts';

/**
 * Waits for a result for a limited time. An error of the work that occurs later is ignored.
 *
 * @param ms milliseconds
 * @param onTimeout called when the time is over without a result. Its result, or the error that it throws, is then the outcome
 */
export async function withTimeout<T>(work: T | Promise<T>, ms: number, onTimeout: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const end = new Promise<void>((resolve) => {
    timer = timeoutAfterReads(() => {
      if (!isOver) resolve();
    }, ms);
  });
  try {
    return await Promise.race([work, end.then(onTimeout)]);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}
