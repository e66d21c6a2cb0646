import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort, output, start } from '../../bench/processes.ts';
import { type Measurement, median, type Scenario, summarize, table } from '../../bench/report.ts';
import type { LoadResult } from '../../bench/result.ts';
import { systems } from '../../bench/systems.ts';
import { ownTools } from '../../bench/tools.ts';

const scenario: Scenario = { name: 'json', about: 'a call', stream: false, conns: 1, cost: 'cpu_us_per_request' };

const result = (cpu: number | undefined, p50: number): LoadResult => ({
  ok: 100,
  errors: 0,
  incomplete: 0,
  rps: 1000,
  latency_ms: { p50, p99: 2 },
  ttft_ms: { p50 },
  ...(cpu === undefined ? {} : { cpu_us_per_request: cpu, peak_rss_mb: 50 }),
});

// A busy machine makes everything dearer in the second round; the ratios hold.
const rounds: readonly Measurement[] = [1, 3, 1].flatMap((busy, round) => [
  { scenario: 'json', system: 'direct' as const, round, result: result(undefined, 0.1 * busy) },
  { scenario: 'json', system: 'nginx' as const, round, result: result(10 * busy, 0.15 * busy) },
  { scenario: 'json', system: 'gateway' as const, round, result: result(25 * busy, 0.2 * busy) },
]);

describe('the summary of a benchmark', () => {
  it.each([
    { values: [], middle: undefined },
    { values: [3], middle: 3 },
    { values: [9, 1, 2], middle: 2 },
    { values: [4, 1, 3, 2], middle: 2.5 },
  ])('takes $middle for the median of $values', ({ values, middle }) => {
    expect(median(values)).toBe(middle);
  });

  it('takes ratios and added latency within a round', () => {
    const rows = summarize(scenario, rounds);
    expect(rows.map((row) => row.system)).toEqual(['direct', 'nginx', 'gateway']);
    expect(rows.at(-1)).toMatchObject({ cost: 25, low: 25, high: 75, toNginx: 2.5, toRelay: undefined, failures: 0 });
    expect(rows.at(-1)?.addedP50).toBeCloseTo(0.1);
    expect(rows[0]).toMatchObject({ cost: undefined, addedP50: undefined });
  });

  it('takes what converting adds to passing through within a round', () => {
    const converting = [25, 79, 27].map((cpu, round) => ({
      scenario: 'json',
      system: 'gateway → gemini',
      round,
      result: result(cpu, 0.2),
    }));
    const rows = summarize(scenario, [...rounds, ...converting]);
    expect(rows.map(({ abovePass }) => abovePass)).toEqual([undefined, undefined, undefined, 2]);
  });

  it('shows failed answers', () => {
    const broken = rounds.map((entry) =>
      entry.system === 'gateway' && entry.round === 1 ? { ...entry, result: { ...entry.result, incomplete: 7 } } : entry,
    );
    expect(summarize(scenario, broken).at(-1)?.failures).toBe(7);
    expect(table(scenario, summarize(scenario, broken))).toMatch(/^\| gateway .*\| 7 +\|$/m);
  });
});

describe('the tools of the benchmark', () => {
  it.each([false, true])('ask the upstream through the relay and count whole answers (stream: %s)', async (stream) => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
    try {
      const port = await freePort();
      await using upstream = await start(ownTools.upstream(port), port);
      const relay = systems.find((system) => system.name === 'relay');
      if (relay === undefined) throw new Error('no relay');
      await using running = await relay.start(upstream.port, folder);
      const url = `http://127.0.0.1:${running.port}/v1/chat/completions`;
      const load = { url, key: 'k', model: '@bench/m', conns: 2, durationMs: 20_000, requests: 6, stream, pid: running.pid };
      const answer = JSON.parse(await output(ownTools.load(load))) as LoadResult;
      expect(answer).toMatchObject({ ok: 6, errors: 0, incomplete: 0 });
      expect(answer.rss_mb).toBeGreaterThan(10);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
