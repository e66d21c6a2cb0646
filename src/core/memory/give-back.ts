/** Bytes: less is not worth the call. */
const least = 1024 * 1024;

/**
 * Gives the memory of a large buffer back at once, which nobody may look at again: the buffer is empty then. The engine would
 * keep it until 64 MB of such memory have come together, in each thread.
 */
export function giveBack({ buffer, length }: Buffer): void {
  if (length >= least && length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
