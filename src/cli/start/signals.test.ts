import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Signals } from './signals.ts';

/** The result of signals that arrive immediately after each other. */
async function secondSignal(isTTY: boolean, env: NodeJS.ProcessEnv, signals: readonly NodeJS.Signals[]): Promise<string> {
  const process = Object.assign(new EventEmitter(), { env, stdin: { isTTY } });
  const handled = new Signals(process as unknown as NodeJS.Process);
  for (const signal of signals) process.emit(signal, signal);
  return await Promise.race([handled.stoppedAgain, handled.stopped.then(() => 'once')]);
}

describe('a second signal', () => {
  const npm = { npm_lifecycle_event: 'start' };
  it.each([
    { name: 'of a terminal under npm is ignored as a duplicate', isTTY: true, env: npm, signals: ['SIGINT', 'SIGINT'], result: 'once' },
    { name: 'of a terminal counts as a second stop', isTTY: true, env: {}, signals: ['SIGINT', 'SIGINT'], result: 'SIGINT' },
    {
      name: 'under npm without a terminal counts as a second stop',
      isTTY: false,
      env: npm,
      signals: ['SIGINT', 'SIGINT'],
      result: 'SIGINT',
    },
    { name: 'of another kind counts as a second stop', isTTY: true, env: npm, signals: ['SIGINT', 'SIGTERM'], result: 'SIGTERM' },
  ] as const)('$name', async ({ isTTY, env, signals, result }) => {
    expect(await secondSignal(isTTY, env, signals)).toBe(result);
  });
});
