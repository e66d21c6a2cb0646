interface SystemHandle {
  readonly writeQueueSize?: number;
}

/** `_handle`: an internal field. Only the handle of the system counts what it has written of one large buffer; TLS has it as `_parent`. */
export interface WritingSocket {
  readonly _handle?: (SystemHandle & { readonly _parent?: SystemHandle }) | null;
}

/** Bytes that were written to a socket and that the system has not taken yet. */
export function unsentBytes(socket: WritingSocket | undefined): number {
  const handle = socket?._handle;
  return (handle?._parent ?? handle)?.writeQueueSize ?? 0;
}
