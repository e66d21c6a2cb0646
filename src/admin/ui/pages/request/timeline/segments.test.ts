import { describe, expect, it } from 'vitest';
import { emptyRecord } from '../../../../../core/records/empty.ts';
import type { AttemptRecord, LogRecord, PluginRecord } from '../../../../../core/records/record.ts';
import { barsOf } from './segments.ts';

const attempt = (n: number, extra: Partial<AttemptRecord> = {}): AttemptRecord => ({
  n,
  target: `config.targets[${n - 1}]`,
  provider: `p${n}`,
  model: 'm',
  at: n * 100,
  connect_ms: 2,
  first_byte_ms: 40,
  total_ms: 60,
  outcome: 'answered',
  status: n === 1 ? 429 : 200,
  upstream_id: null,
  reason: null,
  retry_after_ms: null,
  ...extra,
});
const plugins = (...list: readonly string[]): PluginRecord[] =>
  list.map((text) => {
    const [name = '', time = ''] = text.split(' ');
    return { name, moment: time, ms: 1 };
  });
const recordOf = (change: Partial<LogRecord>): LogRecord => ({ ...emptyRecord, ...change }) as LogRecord;
const namesOf = (record: LogRecord): string[] => barsOf(record).map(({ name, about }) => `${name} ${about}`.trim());

describe('barsOf()', () => {
  it('returns bars in the order of execution, with judge bars after the attempt they judged', () => {
    const record = recordOf({
      plugins: plugins(
        'auth admit',
        'routing plan',
        'transform prepare',
        'retry judge',
        'other judge',
        'transform prepare',
        'retry judge',
        'other judge',
        'prices settle',
      ),
      attempts: [attempt(1), attempt(2)],
      ms: { total: 320, first_event: null, overhead: 1 },
    });
    expect(namesOf(record)).toEqual([
      'auth admit',
      'routing plan',
      'transform prepare',
      'p1/m',
      'retry judge',
      'other judge',
      'transform prepare',
      'p2/m next target',
      'retry judge',
      'other judge',
      'prices settle',
    ]);
    // The first judge bar begins at the end of the failed attempt, the second after the headers of the response.
    expect(barsOf(record).flatMap(({ about, segments }) => (about === 'judge' ? segments.map(({ from }) => from) : []))).toEqual([
      160, 161, 240, 241,
    ]);
  });

  it('returns each attempt once, including attempts without a judge bar', () => {
    const skippedAttempt = attempt(1, { outcome: 'skipped', status: null });
    expect(namesOf(recordOf({ plugins: plugins('breaker skip', 'retry judge'), attempts: [skippedAttempt, attempt(2)] }))).toEqual([
      'breaker skip',
      'p1/m',
      'p2/m next target',
      'retry judge',
    ]);
    expect(namesOf(recordOf({ plugins: [], attempts: [attempt(1), attempt(2)] }))).toEqual(['p1/m', 'p2/m next target']);
    expect(namesOf(recordOf({ plugins: plugins('auth admit'), attempts: [] }))).toEqual(['auth admit']);
  });

  it('shows the pause before a retry and its preparation after the pause', () => {
    const retryAttempt = attempt(2, { target: 'config.targets[0]', provider: 'p1', at: 460 });
    const record = recordOf({
      plugins: plugins('transform prepare', 'retry judge', 'prompts screen', 'transform prepare', 'retry judge'),
      attempts: [attempt(1), retryAttempt],
      ms: { total: 520, first_event: null, overhead: 1 },
    });
    expect(namesOf(record)).toEqual([
      'transform prepare',
      'p1/m',
      'retry judge',
      'prompts screen',
      'transform prepare',
      'p1/m retry',
      'retry judge',
    ]);
    const bars = barsOf(record);
    expect(bars[5]?.segments[0]).toEqual({ kind: 'pause', from: 160, ms: 300 });
    expect(bars.slice(3, 5).map(({ segments }) => segments[0]?.from)).toEqual([458, 459]);
    // There is no pause before the next target.
    expect(
      barsOf(recordOf({ attempts: [attempt(1), attempt(2)] })).flatMap(({ segments }) => segments.map(({ kind }) => kind)),
    ).not.toContain('pause');
  });
});
