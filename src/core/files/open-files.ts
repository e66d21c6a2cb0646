import { readFileSync } from 'node:fs';

/** Returns the maximum number of files and sockets that this process may have open; undefined if the system does not say (Linux does). */
export function openFilesLimit(): number | undefined {
  try {
    const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
    return Number.isFinite(limit) ? limit : undefined;
  } catch {
    return undefined;
  }
}
