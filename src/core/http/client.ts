import type { HeaderPairs } from './headers.ts';

/** The client's side of one exchange, as the pipeline sees it. */
export interface Client {
  /** @param isAlone it is sent at once, not with the first bytes */
  head(status: number, headers: HeaderPairs, isAlone?: boolean): void;
  /** False when the client is slow: wait for `onDrain`. */
  write(bytes: Buffer): boolean;
  end(bytes?: Buffer): void;
  /** Cuts the connection: the only honest end for a body that has no way to say "error". */
  destroy(): void;
  readonly isGone: boolean;
  onGone: (() => void) | undefined;
  onDrain: (() => void) | undefined;
  /** Called once: the last byte was handed to the system, or the connection is gone. Not when `isGone` was true already. */
  onLeft: (() => void) | undefined;
}
