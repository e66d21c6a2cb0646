import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BenchReport } from '../../src/cli/bench/report.ts';
import { startProcess, run } from './process.ts';

/** The temporary folder of the commands. It must be empty afterwards. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

// A command that uses these variables would fail.
const env = (): Record<string, string> => ({ TMPDIR: folder, GATEWAY_CONFIG: '/nowhere.yaml', HTTP_PROXY: 'http://127.0.0.1:9' });
const remainingFolders = (): string[] => readdirSync(folder).filter((name) => name.startsWith('gateway-bench-'));

describe('gateway bench', () => {
  it.each([[[]], [['--stream']]])('measures requests with %j', async (more) => {
    const { code, out, err } = await run(['bench', '--duration', '800ms', '--concurrency', '2', '--json', ...more], folder, env());
    expect([code, err]).toEqual([0, expect.stringMatching(/^measuring for 800ms; .*\n$/)]);
    const report = JSON.parse(out) as BenchReport;
    expect(report).toMatchObject({
      stream: more.length > 0,
      concurrency: 2,
      direct: { failed: 0 },
      gateway: { failed: 0 },
      interrupted: false,
    });
    expect(report.gateway.requests).toBeGreaterThan(0);
    expect(report.direct.requests).toBeGreaterThan(0);
    expect(report.memory_bytes).toBeGreaterThan(0);
    for (const { latency_ms: times } of [report.direct, report.gateway]) {
      expect(Object.values(times ?? {})).toEqual(Object.values(times ?? {}).toSorted((a, b) => a - b));
    }
    expect(remainingFolders()).toEqual([]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('prints what it has measured when it is ended by %s', async (signal, expected) => {
    const running = startProcess(['bench', '--duration', '2m', '--concurrency', '2'], folder, env());
    await expect.poll(() => running.err()).toMatch(/^measuring/);
    running.child.kill(signal);
    const { code, out, err } = await running.ended;
    expect(code).toBe(expected);
    // It sends requests to warm up first, which do not count.
    expect(out + err).toMatch(/\nmock directly +[^]*\nthrough the gateway [^]*\nadded |\ninterrupted: nothing was measured\n$/);
    expect(remainingFolders()).toEqual([]);
  });

  it.each([
    ['--duration', '3m'],
    ['--duration', '10'],
    ['--duration', 'x'],
    ['--concurrency', '0'],
    ['--concurrency', '257'],
  ])('rejects %s %s', async (flag, value) => {
    const { code, out, err } = await run(['bench', flag, value], folder, env());
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^error: /);
  });
});
