import type { Log } from './log.ts';

/**
 * Passes the warnings of Node and of plugins (`process.emitWarning`) to `report`. Node would print them without masking
 * secrets. Returns a function that undoes it. Does nothing if Node was started with `--no-warnings`.
 */
export function onProcessWarning(process: NodeJS.Process, report: (warning: Error) => void): () => void {
  const others = process.listeners('warning');
  if (others.length === 0) return () => {};
  process.removeAllListeners('warning').on('warning', report);
  return () => {
    process.off('warning', report);
    for (const listener of others) process.on('warning', listener);
  };
}

export const logProcessWarnings = (process: NodeJS.Process, log: Pick<Log, 'warn'>): (() => void) =>
  onProcessWarning(process, (warning) => log.warn({ err: warning }, 'a warning of Node or of a plugin'));
