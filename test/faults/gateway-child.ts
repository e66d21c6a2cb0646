import { startTestGateway } from '../support/gateway.ts';

/** A gateway in its own process that reports its memory. Run with `--expose-gc` and the configuration as the argument. */

/** What the process still holds after a garbage collection. */
export interface MemoryReport {
  /** Bytes of the heap and of external memory. */
  readonly bytes: number;
  /** Open sockets. */
  readonly sockets: number;
}

const gateway = await startTestGateway(process.argv[2] ?? '');

process.on('message', () => void reportMemory());
process.on('disconnect', () => void gateway.close().then(() => process.exit()));
process.send?.({ url: gateway.url });

async function reportMemory(): Promise<void> {
  // Lists of the test support are not leaks.
  for (const list of [gateway.events, gateway.records, gateway.lines]) list.length = 0;
  // Finalization callbacks free their memory only in a later collection.
  for (let pass = 0; pass < 3; pass += 1) {
    globalThis.gc?.();
    await new Promise(setImmediate);
  }
  const { heapUsed, external } = process.memoryUsage();
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  process.send?.({ bytes: heapUsed + external, sockets } satisfies MemoryReport);
}
