import type { RpcCall, RpcReply, ProblemReport } from './protocol.ts';

/** A thread or a process that handles calls, one after another, in order. */
export interface Peer {
  /** @param transfer memory whose ownership is transferred; ignored by a process */
  post(call: RpcCall, transfer: readonly ArrayBuffer[]): void;
  /** Sets whether the peer keeps this process alive. */
  keepProcessAlive(isActive: boolean): void;
  /** Ends the peer at once. Resolves when it has ended. */
  end(): Promise<void>;
}

/** Events of a peer. None is called while it is being started. */
export interface PeerEvents {
  /** The peer can handle calls. */
  onReady(): void;
  onMessage(reply: RpcReply | ProblemReport): void;
  onExit(why: Error): void;
  /** The peer was never ready, and another one of its kind would not be either. */
  onStartFailure(why: Error): void;
}
