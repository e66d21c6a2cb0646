import type { RpcCall, RpcReply, ProblemReport } from './protocol.ts';

/** What is asked: a thread, or a process. It does one call after the other, in the order in which they come. */
export interface Peer {
  /** @param transfer memory that is handed over; a process takes none */
  post(call: RpcCall, transfer: readonly ArrayBuffer[]): void;
  /** Whether it keeps this process alive. */
  hold(isHeld: boolean): void;
  /** Ends it, whatever it does. Resolves when it is gone. */
  end(): Promise<void>;
}

/** What becomes known of a peer, never while it is being started. */
export interface PeerEvents {
  /** It can take calls. */
  ready(): void;
  take(reply: RpcReply | ProblemReport): void;
  died(why: Error): void;
  /** It never was ready, and another one would not be. */
  unstarted(why: Error): void;
}

export type StartPeer = (events: PeerEvents) => Peer;
