import type { BenchRecord } from './bench-record.ts';
import type { Row, Spread } from './summary.ts';

/** A measured value with a limit. */
export interface MeasuredLimit {
  readonly what: string;
  readonly unit: string;
  readonly limit: number;
  readonly goal?: number;
  readonly value: Spread | undefined;
}

const percent = (ratio: Spread | undefined): Spread | undefined =>
  ratio === undefined ? undefined : { mid: (ratio.mid - 1) * 100, low: (ratio.low - 1) * 100, high: (ratio.high - 1) * 100 };

/** Returns the highest by median. */
const worst = (all: readonly (Spread | undefined)[]): Spread | undefined =>
  all.filter((each) => each !== undefined).toSorted((one, other) => other.mid - one.mid)[0];

/** Returns the project's limits with the measured values. */
export function measuredLimits(record: BenchRecord): MeasuredLimit[] {
  const rows = (name: string): readonly Row[] => {
    const entry = record[name];
    return entry !== undefined && 'rows' in entry ? entry.rows : [];
  };
  const gateway = (name: string): Row | undefined => rows(name).find(({ system }) => system === 'gateway');
  const converted = (name: string): Spread | undefined => worst(rows(name).map(({ abovePass }) => abovePass));
  const found = (name: string, what: string): Spread | undefined => {
    const entry = record[name];
    return entry !== undefined && 'findings' in entry ? entry.findings.find((each) => each.what === what)?.value : undefined;
  };
  return [
    { what: '1 KB JSON, saturated', unit: '× nginx', limit: 2.5, goal: 1.5, value: gateway('json')?.toNginx },
    { what: '1 KB JSON at 1,000/s', unit: '× nginx', limit: 2.5, goal: 1.5, value: gateway('json-1000')?.toNginx },
    { what: 'a passed-through event, paced', unit: '× nginx', limit: 1.8, goal: 1.4, value: gateway('stream')?.toNginx },
    { what: 'a converted request, above pass-through', unit: 'µs', limit: 12, goal: 8, value: converted('convert-json') },
    { what: 'a converted event, above pass-through', unit: 'µs', limit: 5, goal: 3, value: converted('convert-stream') },
    { what: 'added p50 at 1,000/s, over nginx', unit: 'ms', limit: 0.15, value: gateway('json-1000')?.addedP50 },
    { what: 'added p99 at 1,000/s, over nginx', unit: 'ms', limit: 0.6, value: gateway('json-1000')?.addedP99 },
    { what: 'the request log, stored and redacted, against off', unit: '%', limit: 15, goal: 8, value: percent(gateway('json')?.toLogOff) },
    { what: 'a reload of 5,000 targets: longest pause', unit: 'ms', limit: 20, value: found('reload', 'longest pause') },
    { what: '2,000 open streams: events over 50 ms late', unit: '', limit: 0, value: found('open-streams', 'gateway: late events') },
    { what: 'memory per open stream', unit: 'KB', limit: 40, value: found('open-streams', 'gateway: memory per open stream') },
    { what: 'memory, idle', unit: 'MB', limit: 80, value: found('memory', 'idle') },
    { what: 'memory under load', unit: 'MB', limit: 110, value: found('memory', 'under load') },
    { what: 'memory with bodies of 10 MB, four at once', unit: 'MB', limit: 200, value: found('memory', 'bodies of 10 MB') },
    { what: 'from start to first response', unit: 'ms', limit: 500, value: found('start', 'every later start') },
  ];
}
