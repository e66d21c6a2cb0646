import { expect, it, onTestFinished, vi } from 'vitest';
import { Channel } from './channel.ts';
import { WorkerGroup } from './group.ts';
import type { WorkerProcess } from './process.ts';
import type { Slot } from './slot.ts';

it('accepts the reply of a worker that arrives after the timeout', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let counted = 5;
  const asked: object[] = [];
  const worker = new Channel((message) => (void supervisor.receive(message, undefined), true), {
    beat: () => {
      const taken = counted;
      counted = 0;
      return taken;
    },
  });
  const supervisor = new Channel((message) => asked.push(message) > 0, {});
  const process = { channel: supervisor, isServing: true, isAlive: true } as unknown as WorkerProcess;
  const group = new WorkerGroup(1, () => ({ process }) as unknown as Slot);
  const got: number[] = [];
  const question = group.callAll('beat', 800, (_process, answer: number) => got.push(answer));
  await vi.advanceTimersByTimeAsync(800);
  expect(await question).toEqual([]);
  for (const message of asked) await worker.receive(message, undefined);
  expect([counted, got]).toEqual([0, [5]]);
});
