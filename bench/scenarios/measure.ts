import { setTimeout as pause } from 'node:timers/promises';
import { cpuOf, forgetPeak, memoryOf } from '../proc.ts';
import { output, type Running } from '../processes.ts';
import type { Load, LoadResult } from '../result.ts';
import type { Tools } from '../tools.ts';

/** What one load cost a process; `cpu` in nanoseconds, `peak` in MB. */
export interface Cost {
  readonly result: LoadResult;
  readonly cpu: { readonly main: number; readonly other: number };
  readonly peak: number;
}

/** Includes the work that a process puts off: it is over when the process is quiet again. */
export async function costOf(tools: Tools, running: Running, load: Load): Promise<Cost> {
  forgetPeak(running.pid);
  const before = cpuOf(running.pid);
  const result = await runLoad(tools, load);
  await settled(running.pid);
  const after = cpuOf(running.pid);
  return {
    result,
    cpu: { main: after.main - before.main, other: after.other - before.other },
    peak: memoryOf(running.pid).peak,
  };
}

/** A load tool's last line is its result. */
export async function runLoad(tools: Tools, load: Load): Promise<LoadResult> {
  const lines = (await output(tools.load(load))).trim().split('\n');
  return JSON.parse(lines.at(-1) ?? '{}') as LoadResult;
}

const window = { ms: 200, idleNs: 4e6, quiet: 3, most: 40 };

/** Until a process used less than 2 % of a core in three windows in a row, at most 8 s. */
async function settled(pid: number): Promise<void> {
  let [last, quiet] = [cpuOf(pid), 0];
  for (let n = 0; n < window.most && quiet < window.quiet; n++) {
    await pause(window.ms);
    const now = cpuOf(pid);
    quiet = now.main + now.other - last.main - last.other < window.idleNs ? quiet + 1 : 0;
    last = now;
  }
}
