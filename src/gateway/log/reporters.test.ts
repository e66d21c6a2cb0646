import { beforeEach, describe, expect, it } from 'vitest';
import type { Log } from '../../telemetry/log.ts';
import { dropReporter, errorReporter, problemReporter } from './reporters.ts';

let now: number;
let lines: string[];
const logAs =
  (level: string) =>
  (_fields: object, message: string): void =>
    void lines.push(`${level}: ${message}`);
const log = { warn: logAs('warn'), error: logAs('error') } as unknown as Log;
const monotonic = (): number => now;

beforeEach(() => {
  now = 0;
  lines = [];
});

it('errorReporter() logs a repeated error at most once in ten seconds', () => {
  const report = errorReporter(log, monotonic, 'again');
  for (now of [0, 1, 9999, 10_000, 10_001, 19_999, 20_000]) report(new Error('x'));
  expect(lines).toEqual(['error: again', 'error: again', 'error: again']);
});

describe('dropReporter()', () => {
  const full = { why: 'write', frames: 1, error: Object.assign(new Error('no space'), { code: 'ENOSPC' }) } as const;
  const evictedReport = { why: 'room', segment: 'a.log', bytes: 7 } as const;
  const lostMessage = 'error: records could not be written to the spool and are lost';
  const evictedMessage = 'warn: the spool is full: its oldest segment was dropped';
  const recoveredMessage = 'warn: records can be written to the spool again';

  it('logs lost records at once and then at intervals, with a note until records are written again', () => {
    const notes = [['older'], []];
    const { onDrop, onRecovered } = dropReporter(log, monotonic, notes);
    for (now of [0, 1, 9999, 10_000]) onDrop(full);
    const notice = 'Records are lost: the spool cannot be written (ENOSPC).';
    expect([lines, notes]).toEqual([
      [lostMessage, lostMessage],
      [['older', notice], [notice]],
    ]);
    onRecovered();
    expect(notes).toEqual([['older'], []]);
    onDrop(full);
    expect([lines.slice(2), notes]).toEqual([
      [recoveredMessage, lostMessage],
      [['older', notice], [notice]],
    ]);
  });

  it('logs lost records even if a dropped segment was logged a moment before', () => {
    const { onDrop, onRecovered } = dropReporter(log, monotonic, []);
    onDrop(evictedReport);
    now = 5;
    onDrop(evictedReport);
    onDrop(full);
    onDrop(evictedReport);
    onRecovered();
    expect(lines).toEqual([evictedMessage, lostMessage, recoveredMessage]);
  });
});

it('problemReporter() logs each problem once and logs when there are none left', () => {
  const notes = ['other'];
  const report = problemReporter([notes], log);
  for (const problems of [[], ['a'], ['a', 'b'], ['b'], ['b'], [], []]) report(problems);
  expect(lines).toEqual(['warn: a', 'warn: b', 'warn: the store of the request log works again']);
  report(['c']);
  expect(notes).toEqual(['other', 'c']);
  report([]);
  expect(notes).toEqual(['other']);
});
