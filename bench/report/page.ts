import { type MeasuredLimit, measuredLimits } from './measured-limits.ts';
import type { BenchRecord, Conditions, ScenarioResult } from './bench-record.ts';
import { findingsTable, loadTable, markdown, spreadText } from './tables.ts';

/** Load average above which the machine is considered busy: absolute values are then unreliable, ratios are accurate to about 15 %. */
const busyFrom = 1;

/** Renders `bench/RESULTS.md`. */
export function page(record: BenchRecord): string {
  return `# What the gateway costs

Written by \`npm run bench -- --record\` from \`bench/record.json\`; no figure here is typed by hand.

## How it is measured

- The compiled package runs as it is installed, with \`bench/gateway.yaml\`: six plugins, an API key, one line a request on standard output, and the request log as it is by default (stored, bodies redacted). Requests are checked for what the service rejects, as those to OpenAI itself. \`log-metadata\` is the same without bodies, \`log-off\` without a request log.
- Compared with nginx as one process with \`proxy_pass\` alone, which reads and logs no body; a relay that only moves bytes from socket to socket with \`node:net\`; and the Portkey gateway from the npm registry, with its default configuration. All have the same upstream and the same clients, over loopback, without TLS but for \`tls-json\` and \`tls-stream\`.
- Each process is warmed up with up to 15,000 requests and as many events. Then the systems take turns, each round beginning with another one. Ratios and differences are taken within a round; tables show the median of the rounds, the lowest and the highest.
- CPU time is that of all threads and children, user and system, as the kernel counts it for each thread. Work that a process defers until after the response is included: the round ends when the process is quiet again.
- Memory is resident memory, of the process and its children, in MB of 2^20 bytes.

## What is promised

${markdown([['', 'at most', 'goal', 'measured', ''], ...measuredLimits(record).map(barLine)])}

A figure is met by its median.
${Object.entries(record).map(section).join('')}`;
}

const barLine = ({ what, unit, limit, goal, value }: MeasuredLimit): string[] => {
  const digits = value === undefined || value.mid >= 20 ? 0 : 2;
  const met = value === undefined ? 'not measured' : value.mid <= limit ? 'met' : 'not met';
  return [what, `${limit} ${unit}`.trim(), goal === undefined ? '' : String(goal), spreadText(value, digits), met];
};

function section([name, entry]: readonly [string, ScenarioResult]): string {
  const about = 'rows' in entry ? entry.scenario.about : entry.about;
  const table = 'rows' in entry ? loadTable(entry.scenario, entry.rows) : findingsTable(entry.findings);
  return `\n## ${name}\n\n${about[0]?.toUpperCase()}${about.slice(1)}.\n\n${table}\n\n${conditionsLine(entry.conditions)}\n`;
}

function conditionsLine({ at, commit, node, cpu, cores, kernel, busy, rounds, durationMs, tools, sources }: Conditions): string {
  const machine = `${cores} × ${cpu}, ${kernel}, Node ${node}, ${tools} tools`;
  const crowd = busy >= busyFrom ? ` **The machine was busy (load average ${busy.toFixed(1)}): trust the ratios only.**` : '';
  const what = sources ? 'the sources' : 'the compiled package';
  return `${at.slice(0, 16).replace('T', ' ')} UTC, ${what} of ${commit}: ${rounds} rounds, loads of ${durationMs / 1000} s; ${machine}.${crowd}`;
}
