import type { Log } from './log.ts';

/**
 * Logs the warnings of Node and of plugins (`process.emitWarning`). Node would print them without masking secrets.
 * Returns a function that undoes it. Does nothing if Node was started with `--no-warnings`.
 */
export function logProcessWarnings(process: NodeJS.Process, log: Pick<Log, 'warn'>): () => void {
  const others = process.listeners('warning');
  if (others.length === 0) return () => {};
  const report = (warning: Error): void => log.warn({ err: warning }, 'a warning of Node or of a plugin');
  process.removeAllListeners('warning').on('warning', report);
  return () => {
    process.off('warning', report);
    for (const listener of others) process.on('warning', listener);
  };
}
