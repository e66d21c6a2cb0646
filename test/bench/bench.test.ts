import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cpuOf, memoryOf } from '../../bench/process-stats.ts';
import { freePort, output, startProcess } from '../../bench/processes.ts';
import { flameGraph } from '../../bench/profile/flame-graph.ts';
import { type CpuProfile, callTreeOf } from '../../bench/profile/call-tree.ts';
import { measuredLimits } from '../../bench/report/measured-limits.ts';
import { page } from '../../bench/report/page.ts';
import type { Conditions } from '../../bench/report/bench-record.ts';
import { readRecord } from '../../bench/report/record.ts';
import { type Measurement, median, type Scenario, summarize } from '../../bench/report/summary.ts';
import { loadTable } from '../../bench/report/tables.ts';
import type { LoadResult } from '../../bench/result.ts';
import { systems } from '../../bench/systems/index.ts';
import { nodeTools } from '../../bench/tools.ts';
import { readProjectFile } from '../repo/tree.ts';

const scenario: Scenario = { name: 'json', about: 'a call', stream: false, conns: 1, unit: 'request', systems: ['nginx', 'gateway'] };

const run = (system: string, round: number, cpu: number, p50: number): Measurement => ({
  scenario: 'json',
  system,
  round,
  result: { ok: 100, errors: 0, incomplete: 0, rps: 1000, latency_ms: { p50, p99: 2 * p50 }, ttft_ms: { p50: 0, p99: 0 } },
  cpu: { main: cpu * 0.8, other: cpu * 0.2 },
  peak: 50,
});

// In the second round the machine is busy: everything costs more, but the ratios stay the same.
const rounds: readonly Measurement[] = [1, 3, 1].flatMap((busy, round) => [
  run('nginx', round, 10 * busy, 0.1 * busy),
  run('gateway', round, 25 * busy, 0.2 * busy),
  run('log-off', round, 20 * busy, 0.2 * busy),
]);

describe('benchmark summary', () => {
  it.each([
    { values: [], middle: undefined },
    { values: [3], middle: 3 },
    { values: [9, 1, 2], middle: 2 },
    { values: [4, 1, 3, 2], middle: 2.5 },
  ])('returns $middle as the median of $values', ({ values, middle }) => {
    expect(median(values)).toBe(middle);
  });

  it('computes ratios and added latency within each round', () => {
    const rows = summarize(scenario, rounds);
    expect(rows.map((row) => row.system)).toEqual(['nginx', 'gateway', 'log-off']);
    expect(rows[0]).toMatchObject({ toNginx: undefined, addedP50: undefined, toLogOff: undefined });
    expect(rows[1]).toMatchObject({
      cpu: { mid: 25, low: 25, high: 75 },
      toNginx: { mid: 2.5, low: 2.5, high: 2.5 },
      toLogOff: { mid: 1.25 },
      toRelay: undefined,
      failures: 0,
    });
    expect(rows[1]?.addedP50?.mid).toBeCloseTo(0.1);
    expect(rows[1]?.addedP99?.high).toBeCloseTo(0.6);
    expect([rows[1]?.main, rows[1]?.other]).toEqual([20, 5]);
  });

  it('computes the cost of conversion relative to passthrough within each round', () => {
    const converting = [25, 79, 27].map((cpu, round) => run('gateway → gemini', round, cpu, 0.2));
    const rows = summarize(scenario, [...rounds, ...converting]);
    expect(rows.map(({ abovePass }) => abovePass?.mid)).toEqual([undefined, undefined, undefined, 2]);
  });

  it('counts failed responses', () => {
    const corrupted = rounds.map((entry) =>
      entry.system === 'gateway' && entry.round === 1 ? { ...entry, result: { ...entry.result, incomplete: 7 } } : entry,
    );
    expect(summarize(scenario, corrupted)[1]?.failures).toBe(7);
    expect(loadTable(scenario, summarize(scenario, corrupted))).toMatch(/^\| gateway .*\| 7 +\|$/m);
  });
});

const conditions: Conditions = {
  at: '2026-01-02T03:04:05.678Z',
  commit: 'abc1234',
  node: 'v24.0.0',
  cpu: 'A processor',
  cores: 2,
  kernel: 'Linux 6',
  busy: 0.2,
  rounds: 3,
  durationMs: 3000,
  tools: 'go',
  sources: false,
};

describe('benchmark results', () => {
  it('bench/RESULTS.md is generated from the recorded results', () => {
    expect(readProjectFile('bench/RESULTS.md')).toBe(page(readRecord()));
  });

  it('compares the measurements with the targets', () => {
    const record = { json: { conditions, scenario, rows: summarize(scenario, rounds) } };
    const shown = page(record);
    expect(measuredLimits(record).find(({ what }) => what === '1 KB JSON, saturated')?.value?.mid).toBe(2.5);
    expect(shown).toMatch(/^\| 1 KB JSON, saturated .* 2\.50 \(2\.50 … 2\.50\) +\| met +\|$/m);
    expect(shown).toMatch(/^\| the request log, .* 25 \(25 … 25\) +\| not met +\|$/m);
    expect(shown).toMatch(/^\| memory, idle .*\| not measured +\|$/m);
  });

  it.each([
    [0.2, false],
    [2.5, true],
  ])('warns that the machine was busy (load average %s: %s)', (busy, warns) => {
    const shown = page({ json: { conditions: { ...conditions, busy }, scenario, rows: summarize(scenario, rounds) } });
    expect(shown.includes('The machine was busy')).toBe(warns);
  });
});

describe('CPU profile', () => {
  const frame = (functionName: string, url = 'file:///a/src/x.ts') => ({ functionName, url, lineNumber: 4 });
  const profile: CpuProfile = {
    nodes: [
      { id: 1, callFrame: frame('(root)', ''), children: [2, 3, 4] },
      { id: 2, callFrame: frame('serve'), children: [5] },
      { id: 3, callFrame: frame('serve'), children: [] },
      { id: 4, callFrame: frame('(idle)', '') },
      { id: 5, callFrame: frame('<b>') },
    ],
    samples: [2, 3, 4, 5],
    timeDeltas: [10, 20, 1000, 30],
  };

  it('is a call tree without idle time that merges equal callees of a caller', () => {
    const root = callTreeOf(profile);
    expect(root).toMatchObject({ total: 60, self: 0 });
    expect(root.children).toMatchObject([
      { name: 'serve', where: 'a/src/x.ts:5', total: 60, self: 30, children: [{ name: '<b>', total: 30 }] },
    ]);
  });

  it('is rendered as one page with escaped names', () => {
    const svg = flameGraph(callTreeOf(profile), 10);
    expect(svg).toContain('serve a/src/x.ts:5&#10;6.00 µs a request, 100.0 %; itself 3.00 µs a request');
    expect(svg).not.toContain('<b>');
    expect(svg).not.toMatch(/https?:/);
  });
});

describe('benchmark tools', () => {
  it.each([false, true])('send load through the relay to the upstream and count complete responses (stream: %s)', async (stream) => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
    try {
      const port = await freePort();
      await using upstream = await startProcess(nodeTools.upstream(port), port);
      const relay = systems(true).find((system) => system.name === 'relay');
      if (relay === undefined) throw new Error('no relay');
      await using running = await relay.start({ upstream: upstream.port, folder });
      const url = `http://127.0.0.1:${running.port}/v1/chat/completions`;
      const load = { url, key: 'k', model: '@bench/m', conns: 2, durationMs: 20_000, requests: 6, stream };
      const result = JSON.parse(await output(nodeTools.load(load))) as LoadResult;
      expect(result).toMatchObject({ ok: 6, errors: 0, incomplete: 0 });
      expect(result.events).toBe(stream ? 6 * 53 : 0);
      expect(memoryOf(running.pid).rss).toBeGreaterThan(10);
      const { main, other } = cpuOf(running.pid);
      expect([main > 1e6, other > 1e5]).toEqual([true, true]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
