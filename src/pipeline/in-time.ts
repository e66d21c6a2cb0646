/**
 * Waits for the result of a plugin.
 *
 * @param ms milliseconds
 * @param onLate called with a result that arrives later; its errors are ignored
 * @throws Error with this message if it takes longer
 */
export async function inTime<T>(work: T | Promise<T>, ms: number, message: string, onLate?: (result: T) => unknown): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(message));
    if (onLate !== undefined)
      Promise.resolve(work)
        .then(onLate)
        .catch(() => {});
  }, ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
