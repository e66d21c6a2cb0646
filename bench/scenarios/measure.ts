import { setTimeout as pause } from 'node:timers/promises';
import { cpuOf, resetPeak, memoryOf } from '../process-stats.ts';
import { output, type RunningProcess } from '../processes.ts';
import type { Load, LoadResult } from '../result.ts';
import type { Tools } from '../tools.ts';

/** Cost of one load for a process; `cpu` in nanoseconds, `peak` in MB. */
export interface Cost {
  readonly result: LoadResult;
  readonly cpu: { readonly main: number; readonly other: number };
  readonly peak: number;
}

/** Includes deferred work: measures until the process is idle again. */
export async function costOf(tools: Tools, running: RunningProcess, load: Load): Promise<Cost> {
  resetPeak(running.pid);
  const before = cpuOf(running.pid);
  const result = await runLoad(tools, load);
  await waitUntilIdle(running.pid);
  const after = cpuOf(running.pid);
  return {
    result,
    cpu: { main: after.main - before.main, other: after.other - before.other },
    peak: memoryOf(running.pid).peak,
  };
}

/** Runs a load tool; the last line of its output is the result. */
export async function runLoad(tools: Tools, load: Load): Promise<LoadResult> {
  const lines = (await output(tools.load(load))).trim().split('\n');
  return JSON.parse(lines.at(-1) ?? '{}') as LoadResult;
}

const window = { ms: 200, idleNs: 4e6, quiet: 3, most: 40 };

/** Waits until a process uses less than 2 % of a core in three consecutive windows, at most 8 s. */
async function waitUntilIdle(pid: number): Promise<void> {
  let [last, quiet] = [cpuOf(pid), 0];
  for (let n = 0; n < window.most && quiet < window.quiet; n++) {
    await pause(window.ms);
    const now = cpuOf(pid);
    quiet = now.main + now.other - last.main - last.other < window.idleNs ? quiet + 1 : 0;
    last = now;
  }
}
