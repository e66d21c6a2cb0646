import type { HeaderPairs } from './headers.ts';

/** The client's side of one exchange, as the pipeline uses it. */
export interface Client {
  /** @param isImmediate send the head at once, not together with the first bytes */
  head(status: number, headers: HeaderPairs, isImmediate?: boolean): void;
  /** Returns false if the client is slow: wait for `onDrain`. */
  write(bytes: Buffer): boolean;
  end(bytes?: Buffer): void;
  /** Aborts the connection: the only way to signal an error within a body that cannot express one. */
  destroy(): void;
  readonly isDisconnected: boolean;
  onDisconnect: (() => void) | undefined;
  onDrain: (() => void) | undefined;
  /**
   * Called once, when the last byte was passed to the operating system or the connection was closed. Not called if
   * `isDisconnected` was already true.
   */
  onFlushed: (() => void) | undefined;
}
