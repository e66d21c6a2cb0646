import { garbageCollector } from './garbage-collector.ts';

/** Bytes from which the memory of a string made from bytes is outside of V8's heap (`EXTERN_APEX` in Node's `string_bytes.cc`). */
const leastExternal = 0xfbee9;
/** Bytes of such strings after which garbage is collected. */
const collectAfterBytes = 8 * 1024 * 1024;

/**
 * Collects the garbage of a thread that makes strings of large bodies. V8 keeps such a string, even an unused one, until a
 * thread has 64 MB of them. A collection takes some milliseconds and stops the thread: not for the event loop that serves
 * requests, and not for smaller strings, which V8 collects in time.
 *
 * @returns called with the bytes of each body that becomes a string
 */
export function createCollector(): (bytes: number) => void {
  let collect: ReturnType<typeof garbageCollector> | undefined;
  let bytes = 0;
  return (more) => {
    if (more < leastExternal) return;
    bytes += more;
    if (bytes < collectAfterBytes) return;
    bytes = 0;
    const collector = (collect ??= garbageCollector());
    // Later, when the caller has returned and nothing refers to its strings.
    setImmediate(() => collector({ type: 'major' }));
  };
}
