import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** CPU time and memory of a process and its children, from /proc; Linux only. */

/** CPU time in nanoseconds: of the thread that runs `main()`, and of all others, including child processes. */
export interface CpuTime {
  readonly main: number;
  readonly other: number;
}

/** Megabytes (2^20 bytes): current resident memory, and its peak since the last `resetPeak`. */
export interface Memory {
  readonly rss: number;
  readonly peak: number;
}

export function cpuOf(pid: number): CpuTime {
  const threads = processTreeOf(pid).flatMap((member) => threadsOf(member).map((thread) => ({ thread, ns: ranFor(member, thread) })));
  const sum = (mine: boolean): number => threads.reduce((total, { thread, ns }) => total + ((thread === pid) === mine ? ns : 0), 0);
  return { main: sum(true), other: sum(false) };
}

export function memoryOf(pid: number): Memory {
  const found = processTreeOf(pid).map((member) => readOr(`/proc/${member}/status`, ''));
  const sum = (field: string): number =>
    found.reduce((total, text) => total + Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024, 0);
  return { rss: sum('VmRSS'), peak: sum('VmHWM') };
}

/** Resets the peak (proc(5), clear_refs). */
export function resetPeak(pid: number): void {
  for (const member of processTreeOf(pid)) writeFileSync(`/proc/${member}/clear_refs`, '5');
}

/** Returns the process and all its descendants. */
export function processTreeOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(name) }));
  const family = [pid];
  for (const member of family) family.push(...parents.filter(({ parent }) => parent === member).map((child) => child.pid));
  return family;
}

/** Reads the fourth field of /proc/PID/stat. Counts after the process name, which may contain spaces and parentheses. */
function parentOf(name: string): number {
  const text = readOr(`/proc/${name}/stat`, '');
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1] ?? -1);
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

const ranFor = (pid: number, thread: number): number => Number(readOr(`/proc/${pid}/task/${thread}/schedstat`, '0').split(' ')[0]);

/** Reads a file; processes and threads may end while the list is read. */
function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return otherwise;
  }
}
