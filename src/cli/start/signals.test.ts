import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Signals } from './signals.ts';

/** The result of signals that arrive immediately after each other. */
async function second(isTTY: boolean, env: NodeJS.ProcessEnv, signals: readonly NodeJS.Signals[]): Promise<string> {
  const process = Object.assign(new EventEmitter(), { env, stdin: { isTTY } });
  const followed = new Signals(process as unknown as NodeJS.Process);
  for (const signal of signals) process.emit(signal, signal);
  return await Promise.race([followed.stoppedAgain, followed.stopped.then(() => 'once')]);
}

describe('a second signal', () => {
  const npm = { npm_lifecycle_event: 'start' };
  it.each([
    { name: 'of a terminal under npm is ignored as a duplicate', isTTY: true, env: npm, signals: ['SIGINT', 'SIGINT'], is: 'once' },
    { name: 'of a terminal counts as a second stop', isTTY: true, env: {}, signals: ['SIGINT', 'SIGINT'], is: 'SIGINT' },
    { name: 'under npm without a terminal counts as a second stop', isTTY: false, env: npm, signals: ['SIGINT', 'SIGINT'], is: 'SIGINT' },
    { name: 'of another kind counts as a second stop', isTTY: true, env: npm, signals: ['SIGINT', 'SIGTERM'], is: 'SIGTERM' },
  ] as const)('$name', async ({ isTTY, env, signals, is }) => {
    expect(await second(isTTY, env, signals)).toBe(is);
  });
});
