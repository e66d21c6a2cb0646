import { expect, it } from 'vitest';
import type { LocalAnswer, LocalPiece } from '../../core/provider.ts';
import type { CrashAwareReceiver } from './guarded.ts';
import { playLocalResponse } from './local-response.ts';
import type { ResponseControl } from '../wire/request.ts';

/** Plays an answer with timers that end at once when `pass` is called. */
function playLocal(response: Partial<LocalAnswer>): {
  log: string[];
  source: () => ResponseControl;
  runTimers: () => void;
  timers: () => number;
} {
  const log: string[] = [];
  const timers: (() => void)[] = [];
  let source: ResponseControl | undefined;
  const receiver: CrashAwareReceiver = {
    connected: (control) => void (source = control),
    sent: () => undefined,
    head: (status) => void log.push(`head ${status}`),
    data: (chunk) => void log.push(chunk.toString()),
    finished: () => void log.push('finished'),
    failed: (error) => void log.push((error as NodeJS.ErrnoException).code ?? error.message),
    crashed: (caught) => void log.push((caught as Error).name),
  };
  playLocalResponse({ status: 200, headers: {}, pieces: [{ text: 'a' }, { text: Buffer.from('b') }], ...response }, receiver, (ms, run) => {
    log.push(`${ms} ms`);
    timers.push(run);
    return () => void timers.splice(timers.indexOf(run), 1);
  });
  return { log, source: () => source as ResponseControl, runTimers: () => timers.shift()?.(), timers: () => timers.length };
}

const broken = { text: 42 } as unknown as LocalPiece;

it.each<[string, Partial<LocalAnswer>, string[]]>([
  ['is complete', {}, ['head 200', 'a', 'b', 'finished']],
  ['waits', { delayMs: 5, pieces: [{ text: 'a', afterMs: 7 }] }, ['5 ms', 'head 200', '7 ms', 'a', 'finished']],
  ['is refused', { breaks: 'refused' }, ['ECONNREFUSED']],
  ['is reset before the response', { delayMs: 5, breaks: 'reset-before-response' }, ['5 ms', 'ECONNRESET']],
  ['is reset after its pieces', { breaks: 'reset' }, ['head 200', 'a', 'b', 'ECONNRESET']],
  ['hangs', { breaks: 'hang' }, ['head 200', 'a', 'b', '90000000 ms', 'ECONNRESET']],
  ['has a broken piece', { pieces: [broken] }, ['head 200', 'TypeError']],
  ['has a broken piece later', { pieces: [{ ...broken, afterMs: 5 }] }, ['head 200', '5 ms', 'TypeError']],
])('an answer that %s', (_, response, expected) => {
  const { log, runTimers } = playLocal(response);
  while (!/finished|ECONN|Error/.test(log.at(-1) ?? '')) runTimers();
  expect(log).toEqual(expected);
});

it('an error after a pause of the client ends only the answer', () => {
  const { log, source, runTimers } = playLocal({ delayMs: 5, pieces: [broken] });
  source().pause();
  runTimers();
  source().resume();
  expect(log).toEqual(['5 ms', 'head 200', 'TypeError']);
});

it('an aborted answer leaves no timer', () => {
  const { log, source, timers } = playLocal({ breaks: 'hang' });
  source().abort();
  source().abort();
  expect([timers(), log.slice(-2)]).toEqual([0, ['90000000 ms', 'aborted']]);
});
