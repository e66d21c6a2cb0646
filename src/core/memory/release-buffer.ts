/** Smaller buffers are not worth the call, in bytes. */
export const minReleasedSize = 64 * 1024;

/**
 * Releases the memory of a large buffer at once. The buffer is empty afterwards and must not be used. V8 would
 * otherwise keep it until 64 MB of external memory have accumulated per thread.
 */
export function releaseBuffer({ buffer, length }: Buffer): void {
  if (length >= minReleasedSize && length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
