import type { Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Channel } from './channel.ts';
import { WorkerGroup } from './group.ts';
import type { WorkerProcess } from './process.ts';
import type { Slot } from './slot.ts';

it('accepts the reply of a worker that arrives after the timeout', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let counted = 5;
  const requests: object[] = [];
  const worker = new Channel((message) => (void supervisor.receive(message, undefined), true), {
    beat: () => {
      const takenCount = counted;
      counted = 0;
      return takenCount;
    },
  });
  const supervisor = new Channel((message) => requests.push(message) > 0, {});
  const process = { channel: supervisor, isServing: true, isAlive: true } as unknown as WorkerProcess;
  const group = new WorkerGroup(1, () => ({ process }) as unknown as Slot);
  const responses: number[] = [];
  const call = group.callAll('beat', 800, (_process, response: number) => responses.push(response));
  await vi.advanceTimersByTimeAsync(801);
  expect(await call).toEqual([]);
  for (const message of requests) await worker.receive(message, undefined);
  expect([counted, responses]).toEqual([0, [5]]);
});

it('gives connections in turn to the workers that serve', () => {
  const received: string[] = [];
  const slot = (worker: number, isAlive: boolean): Slot => {
    const channel = { notify: (name: string, _value: unknown, handle: Socket) => received.push(`${name} ${String(handle)} to ${worker}`) };
    return { process: { channel, isServing: true, isAlive } } as unknown as Slot;
  };
  const socket = (name: string): Socket => ({ toString: () => name, destroy: () => received.push(`${name} closed`) }) as unknown as Socket;
  const sockets = ['a', 'b', 'c', 'd'].map(socket);
  new WorkerGroup(3, (worker) => slot(worker, worker !== 2)).distribute(sockets);
  expect(received.splice(0)).toEqual(['connection a to 1', 'connection b to 3', 'connection c to 1', 'connection d to 3']);
  new WorkerGroup(1, (worker) => slot(worker, false)).distribute(sockets.slice(0, 1));
  expect(received).toEqual(['a closed']);
});
