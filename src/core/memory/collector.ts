import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of texts after which garbage is collected. */
const most = 8 * 1024 * 1024;

/**
 * Collects the garbage of a thread that makes strings of large bodies. V8 keeps such a string, even an unused one, until a
 * thread has 64 MB of them. A collection takes some milliseconds and stops the thread: not for the event loop that serves
 * requests.
 *
 * @returns called with the bytes of each body that became a string
 */
export function createCollector(): (bytes: number) => void {
  let collect: (() => void) | undefined;
  let bytes = 0;
  return (more) => {
    bytes += more;
    if (bytes < most) return;
    bytes = 0;
    collect ??= collectorOfThread();
    // Later, when the caller has returned and nothing refers to its strings.
    setImmediate(collect);
  };
}

function collectorOfThread(): () => void {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as () => void;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
