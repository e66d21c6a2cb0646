import { readdirSync, readFileSync } from 'node:fs';

/** CPU time (user and system, in ticks of 10 ms) and resident memory of a process and its children, from /proc; Linux only. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly rssMb: number;
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
  readonly pages: number;
}

export function usageOf(pid: number): Usage {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(statOf);
  const family = new Set([pid]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const stat of all) if (family.has(stat.parent)) family.add(stat.pid);
  }
  const members = all.filter((stat) => family.has(stat.pid));
  return {
    cpuSeconds: members.reduce((sum, stat) => sum + stat.ticks, 0) / 100,
    rssMb: (members.reduce((sum, stat) => sum + stat.pages, 0) * 4096) / 1e6,
  };
}

/** Fields of /proc/PID/stat, counted behind the name, which may hold blanks and brackets (proc(5)). */
function statOf(name: string): Stat[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const at = (field: number): number => Number(fields[field - 3]);
    return [{ pid: Number(name), parent: at(4), ticks: at(14) + at(15), pages: at(24) }];
  } catch {
    // Processes end while the list is read.
    return [];
  }
}
