import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { turns } from '../support/time.ts';

/** A port whose connections are never accepted: a listener with a full queue, in a blocked thread. */
export interface Blackhole {
  readonly port: number;
  close(): Promise<void>;
}

const listener = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });
`;

/** Returns undefined if the system accepts the connections anyway. */
export async function startBlackhole(): Promise<Blackhole | undefined> {
  const worker = new Worker(listener, { eval: true });
  const [port] = (await once(worker, 'message')) as [number];
  const fillers: Socket[] = [];
  const close = async (): Promise<void> => {
    for (const filler of fillers) filler.destroy();
    await worker.terminate();
  };
  for (let n = 0; n < 32; n += 1) {
    const filler = connect(port, '127.0.0.1').on('error', () => undefined);
    fillers.push(filler);
    const accepted = await Promise.race([once(filler, 'connect').then(() => true), turns(300).then(() => false)]);
    if (!accepted) return { port, close };
  }
  await close();
  return undefined;
}
