import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { RpcReply, ProblemReport } from './protocol.ts';
import type { Peer, PeerEvents } from './peer.ts';

export interface ThreadOptions {
  /** The program of the thread. It responds to calls (`serveThreadCalls`). */
  readonly entry: URL;
  /** The thread's `workerData`. */
  readonly data: unknown;
  /** Heap of the thread in megabytes. Beyond it only the thread dies. */
  readonly heapMb: number;
}

/**
 * Megabytes of each half of a thread's young generation. The flag that the process was started with counts for all threads,
 * before `resourceLimits`, and V8 reads it when a heap is made: changed here, it leaves the main thread as it is.
 */
const semiSpaceMb = 2;

export function startThread({ entry, data, heapMb }: ThreadOptions, events: PeerEvents): Peer {
  setFlagsFromString(`--max-semi-space-size=${semiSpaceMb}`);
  const worker = new Worker(entry, {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    execArgv: process.execArgv.filter((flag) => flag.startsWith('--conditions=')),
  });
  worker.unref();
  worker.on('online', () => events.onReady());
  worker.on('message', (message) => events.onMessage(message as RpcReply | ProblemReport));
  worker.on('error', (error) => events.onExit(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', (code) => events.onExit(new Error(`the thread ended with code ${code}`)));
  return {
    post: (call, transfer) => worker.postMessage(call, transfer),
    keepProcessAlive: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
    end: async () => void (await worker.terminate()),
  };
}
