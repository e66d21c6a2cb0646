import type { Socket } from 'node:net';
import type { WorkerProcess } from './process.ts';
import type { Slot } from './slot.ts';

/** All workers of a gateway: lists those that serve, and sends messages and calls to all of them. */
export class WorkerGroup {
  readonly slots: readonly Slot[];

  constructor(count: number, slot: (worker: number) => Slot) {
    this.slots = Array.from({ length: count }, (_, at) => slot(at + 1));
  }

  serving(): WorkerProcess[] {
    return this.slots.flatMap(({ process }) => (process?.isServing === true && process.isAlive ? [process] : []));
  }

  /** The other processes that share the state of plugins with this one. */
  sharing(own: WorkerProcess): WorkerProcess[] {
    return this.slots.flatMap(({ process }) => (process?.sharesState === true && process.isAlive && process !== own ? [process] : []));
  }

  /** Rejects if one of them cannot start. */
  async begin(): Promise<void> {
    await Promise.all(this.slots.map((slot) => slot.begin()));
  }

  /** Resolves when no worker is being started. */
  settled(): Promise<unknown> {
    return Promise.all(this.slots.map((slot) => slot.settled));
  }

  notify(name: string, value: unknown): void {
    for (const process of this.serving()) process.channel.notify(name, value);
  }

  /** Gives accepted connections to the workers in turn. They are closed if no worker serves. */
  distribute(connections: readonly Socket[]): void {
    const serving = this.serving();
    for (const [index, connection] of connections.entries()) {
      const process = serving[index % serving.length];
      if (process === undefined) connection.destroy();
      else process.channel.notify('connection', undefined, connection);
    }
  }

  /**
   * Calls all workers.
   *
   * @param take called with each answer when it arrives; the result omits workers that do not answer within `limitMs`
   */
  async callAll<A, R>(name: string, limitMs: number, take: (process: WorkerProcess, answer: A) => R): Promise<R[]> {
    const asked = this.serving().map(async (process) => {
      const late = (answer: unknown): void => void take(process, answer as A);
      const answer = await process.channel.call(name, undefined, limitMs, { late }).catch(() => undefined);
      return answer === undefined ? [] : [take(process, answer as A)];
    });
    return (await Promise.all(asked)).flat(1) as R[];
  }

  /** Ends all processes, serving ones with the given call. @param take called with the answer of each */
  async end(how: string, value: unknown, limitMs: number, take: (process: WorkerProcess, answer: unknown) => void): Promise<void> {
    await Promise.all(
      this.slots.map(async (slot) => {
        const { process } = slot;
        slot.stop();
        if (process === undefined || !process.isAlive) return;
        if (!process.isServing) return await process.end(0);
        const answer = await process.channel.call(how, value, limitMs).catch(() => undefined);
        if (answer !== undefined) take(process, answer);
        await process.end(1000);
      }),
    );
  }
}
