interface SystemHandle {
  readonly writeQueueSize?: number;
}

/**
 * `_handle`: an internal field. Only the handle of the system counts what it has written of one large buffer; TLS has it as `_parent`.
 * TLS through another socket has that one as its own `_parent`.
 */
export interface WritingSocket {
  readonly _handle?: (SystemHandle & { readonly _parent?: SystemHandle }) | null;
  readonly _parent?: WritingSocket | null;
}

/** Bytes that were written to a socket and that the system has not taken yet. */
export function unsentBytes(socket: WritingSocket | undefined): number {
  let carrier = socket;
  while (carrier?._parent !== undefined && carrier._parent !== null) carrier = carrier._parent;
  const handle = carrier?._handle;
  return (handle?._parent ?? handle)?.writeQueueSize ?? 0;
}
