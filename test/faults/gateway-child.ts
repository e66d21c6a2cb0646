import { startTestGateway } from '../support/gateway.ts';

/** A gateway in a process of its own that says what it holds. Run with `--expose-gc`, its configuration as the argument. */

/** What is left in the process after a collection. */
export interface Held {
  /** Bytes of the heap and of what is bound to it outside. */
  readonly bytes: number;
  /** Sockets that are open. */
  readonly sockets: number;
}

const gateway = await startTestGateway(process.argv[2] ?? '');

process.on('message', () => void say());
process.on('disconnect', () => void gateway.close().then(() => process.exit()));
process.send?.({ url: gateway.url });

async function say(): Promise<void> {
  // What the support for tests keeps is nobody's leak.
  for (const list of [gateway.events, gateway.records, gateway.lines]) list.length = 0;
  // What ends in callbacks of a collection goes with a later one.
  for (let pass = 0; pass < 3; pass += 1) {
    globalThis.gc?.();
    await new Promise(setImmediate);
  }
  const { heapUsed, external } = process.memoryUsage();
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  process.send?.({ bytes: heapUsed + external, sockets } satisfies Held);
}
