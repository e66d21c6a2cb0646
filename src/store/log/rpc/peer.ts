import type { RpcCall, RpcReply, ProblemReport } from './protocol.ts';

/** A thread or a process that handles calls, one after another, in order. */
export interface Peer {
  /** @param transfer memory whose ownership is transferred; ignored by a process */
  post(call: RpcCall, transfer: readonly ArrayBuffer[]): void;
  /** Sets whether the peer keeps this process alive. */
  hold(isHeld: boolean): void;
  /** Ends the peer at once. Resolves when it has ended. */
  end(): Promise<void>;
}

/** Events of a peer. None is called while it is being started. */
export interface PeerEvents {
  /** The peer can handle calls. */
  ready(): void;
  take(reply: RpcReply | ProblemReport): void;
  died(why: Error): void;
  /** The peer was never ready, and another one of its kind would not be either. */
  unstarted(why: Error): void;
}

export type StartPeer = (events: PeerEvents) => Peer;
