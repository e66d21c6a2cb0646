import { describe, expect, it } from 'vitest';
import { Attempts } from './attempts.ts';
import type { AttemptRecord } from '../core/records/record.ts';

const attempt = (provider: string, target: string, status: number | null, rest: Partial<AttemptRecord> = {}): AttemptRecord => ({
  n: 0,
  target,
  provider,
  model: 'm',
  at: 5,
  connect_ms: null,
  first_byte_ms: null,
  total_ms: 100,
  outcome: status === null ? 'unreachable' : 'answered',
  status,
  upstream_id: null,
  reason: status === 200 ? null : 'no',
  retry_after_ms: null,
  ...rest,
});

const minute = 60_000;
const start = 1000 * minute;

describe('Attempts', () => {
  it.each([
    [200, 0],
    [400, 0],
    [404, 0],
    [401, 1],
    [403, 1],
    [408, 1],
    [429, 1],
    [500, 1],
    [null, 1],
  ])('counts status %s as %d failures', (status, failed) => {
    const attempts = new Attempts();
    attempts.add({ id: 'r', at: start, config: null, error: null, attempts: [attempt('a', 'config', status)] });
    expect(attempts.figures('a', start, 5)).toMatchObject({ attempts: 1, failed });
  });

  it.each(['cancelled', 'skipped', 'refused'])('does not count an attempt that was %s as a failure of the provider', (outcome) => {
    const attempts = new Attempts();
    attempts.add({ id: 'r', at: start, config: null, error: null, attempts: [attempt('a', 'config', null, { outcome })] });
    expect([attempts.figures('a', start, 5).failed, attempts.lastError('a')]).toEqual([0, null]);
  });

  it('counts skipped targets separately from attempts, and adds up the counts of several instances', () => {
    const one = new Attempts();
    const all = new Attempts();
    for (const left of ['answered', 'skipped', 'skipped'])
      one.add({
        id: 'r',
        at: start,
        config: null,
        error: null,
        attempts: [attempt('a', 'config', left === 'skipped' ? null : 500, { outcome: left })],
      });
    const { p95, ...figures } = one.figures('a', start, 5);
    expect(figures).toMatchObject({ attempts: 1, failed: 1, leftOut: 2 });
    expect(p95).toBeCloseTo(100, -1);
    const taken = one.drain();
    all.addAll(taken);
    all.addAll(taken);
    expect(all.figures('a', start, 5)).toMatchObject({ attempts: 2, failed: 2, leftOut: 4 });
  });

  it('does not count an attempt that was rejected before it was sent', () => {
    const attempts = new Attempts();
    const rejected = attempt('a', 'config', null, { outcome: 'refused', total_ms: 0 });
    attempts.add({ id: 'r', at: start, config: null, error: null, attempts: [rejected, { ...rejected, first_byte_ms: 4, total_ms: 9 }] });
    expect(attempts.figures('a', start, 5)).toMatchObject({ attempts: 1, failed: 0, leftOut: 0 });
  });

  it('counts the attempts of several instances in their own minutes, whichever reports first', () => {
    const all = new Attempts();
    for (const at of [10, 9, 9, 10]) {
      const one = new Attempts();
      one.add({ id: 'r', at: start + at * minute, config: null, error: null, attempts: [attempt('a', 'config', 200)] });
      all.addAll(one.drain());
    }
    const now = start + 10 * minute;
    expect([1, 2].map((minutes) => all.figures('a', now, minutes).attempts)).toEqual([2, 4]);
  });

  it('counts an attempt as failed if the gateway could not get a credential for it', () => {
    const attempts = new Attempts();
    const error = { code: 'provider_auth_failed', message: 'no', source: 'gateway' } as const;
    attempts.add({ id: 'r', at: start, config: null, error, attempts: [attempt('a', 'config', null, { outcome: 'refused' })] });
    expect([attempts.figures('a', start, 5).failed, attempts.lastError('a')?.message]).toEqual([1, 'no']);
  });

  it('computes percentiles over all attempts of several targets', () => {
    const attempts = new Attempts();
    const at = (target: string, ms: number): void =>
      attempts.add({ id: 'r', at: start, config: 'support', error: null, attempts: [{ ...attempt('a', target, 200), total_ms: ms }] });
    for (let i = 0; i < 99; i += 1) at('config.targets[0]', 100);
    at('config.targets[1]', 30_000);
    const { attempts: count, p95 } = attempts.figuresOf(['configs.support.targets[0]', 'configs.support.targets[1]'], start, 60);
    expect(count).toBe(100);
    expect(p95).toBeCloseTo(100, -1);
  });

  it('shows a target that always fails before a fallback', () => {
    const attempts = new Attempts();
    for (let i = 0; i < 10; i += 1)
      attempts.add({
        id: `r${i}`,
        at: start + i,
        config: 'support',
        error: null,
        attempts: [attempt('down', 'config.targets[0]', 503), attempt('up', 'config.targets[1]', 200)],
      });
    expect(attempts.figures('down', start, 5)).toMatchObject({ attempts: 10, failed: 10 });
    expect(attempts.figures('configs.support.targets[1]', start, 60)).toMatchObject({ attempts: 10, failed: 0 });
    expect(attempts.figures('up', start, 5).p95).toBeCloseTo(100, -1);
    expect(attempts.lastError('down')).toEqual({ at: start + 14, message: 'no', id: 'r9' });
    expect(attempts.lastError('up')).toBeNull();
  });

  it('excludes attempts older than the requested time or one hour', () => {
    const attempts = new Attempts();
    for (const at of [0, 50, 59, 62])
      attempts.add({ id: 'r', at: start + at * minute, config: null, error: null, attempts: [attempt('a', 'config', 200)] });
    const now = start + 62 * minute;
    expect([5, 20, 60].map((minutes) => attempts.figures('a', now, minutes).attempts)).toEqual([2, 3, 3]);
    attempts.add({ id: 'late', at: start, config: null, error: null, attempts: [attempt('a', 'config', 200)] });
    expect(attempts.figures('a', now, 1).attempts).toBe(2);
  });

  it('counts a limited number of names', () => {
    const attempts = new Attempts();
    for (let i = 0; i < 5000; i += 1)
      attempts.add({ id: 'r', at: start, config: null, error: null, attempts: [attempt(`p${i}`, 'config', 500)] });
    expect(attempts.figures('p1999', start, 5).attempts).toBe(1);
    expect(attempts.figures('p2000', start, 5).attempts).toBe(0);
    expect(attempts.lastError('p2000')).toBeNull();
  });
});
