import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Channel } from './channel.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Answers the first call after so many milliseconds, when the event loop reads. */
function answering(channel: Channel, ms: number): void {
  setTimeout(() => setImmediate(() => void channel.receive({ answer: 1, value: 'done' }, undefined)), ms);
}

async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  const outcome = call.catch((error: unknown) => (error as Error).message);
  await vi.runAllTimersAsync();
  return await outcome;
}

it.each([
  ['resolves with an answer that is read when the time is over', 100, 'done', []],
  ['rejects if the answer is late, which is handed over nevertheless', 102, 'the process did not respond in time', ['done']],
])('a call %s', async (_, ms, outcome, lateAnswers) => {
  const channel = new Channel(() => true, {});
  const late: unknown[] = [];
  answering(channel, ms);
  expect(await outcomeOf(channel.call('beat', undefined, 100, { late: (answer) => late.push(answer) }))).toBe(outcome);
  expect(late).toEqual(lateAnswers);
});
