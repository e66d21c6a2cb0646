import type { LoadResult } from '../result.ts';

/** A load that is applied to several systems in turn. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly stream: boolean;
  readonly conns: number;
  readonly rate?: number;
  /** The unit for CPU time. */
  readonly unit: 'request' | 'event';
  /** Names of the measured systems. */
  readonly systems: readonly string[];
  /** Size of each request; undefined: 1 KB. */
  readonly bytes?: number;
  /** Providers of the gateway that are compared with the one whose responses it passes through. */
  readonly providers?: readonly string[];
}

/** One run of one system in one scenario. If several providers are compared, `system` includes the provider. */
export interface Measurement {
  readonly scenario: string;
  readonly system: string;
  readonly round: number;
  readonly result: LoadResult;
  /** Microseconds of CPU per request or event: of the main thread, and of all other threads. */
  readonly cpu: { readonly main: number; readonly other: number };
  /** Peak of resident memory, MB. */
  readonly peak: number;
}

/** Median of the rounds, minimum and maximum. */
export interface Spread {
  readonly mid: number;
  readonly low: number;
  readonly high: number;
}

export interface Row {
  readonly system: string;
  /** Microseconds of CPU per request or event: of all threads, of the main thread, and of the others. */
  readonly cpu: Spread;
  readonly main: number;
  readonly other: number;
  /** Ratios and differences are computed within a round. */
  readonly toNginx: Spread | undefined;
  readonly toRelay: Spread | undefined;
  /** Relative to the gateway without a request log. */
  readonly toLogOff: Spread | undefined;
  /** Microseconds more than the same process needs to pass a response through. */
  readonly abovePass: Spread | undefined;
  /** Milliseconds more than nginx (streams: until the first byte). */
  readonly addedP50: Spread | undefined;
  readonly addedP99: Spread | undefined;
  readonly rps: number;
  readonly peak: number;
  readonly failures: number;
}

export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [below, above] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return below === undefined || above === undefined ? undefined : (below + above) / 2;
}

export function spread(values: readonly number[]): Spread | undefined {
  const mid = median(values);
  return mid === undefined ? undefined : { mid, low: Math.min(...values), high: Math.max(...values) };
}

const total = ({ cpu }: Measurement): number => cpu.main + cpu.other;

export function summarize(scenario: Scenario, all: readonly Measurement[]): Row[] {
  const here = all.filter((entry) => entry.scenario === scenario.name);
  return [...new Set(here.map((entry) => entry.system))].flatMap((system) => {
    const runs = here.filter((entry) => entry.system === system);
    const cpu = spread(runs.map(total));
    if (cpu === undefined) return [];
    const against = (mark: string, of: (run: Measurement) => number, combine: (own: number, mark: number) => number) =>
      spread(
        runs.flatMap((run) => {
          const other = here.find((entry) => entry.system === mark && entry.round === run.round);
          return other === undefined ? [] : [combine(of(run), of(other))];
        }),
      );
    const ratio = (mark: string) => (mark === system ? undefined : against(mark, total, (own, base) => own / base));
    const added = (quantile: 'p50' | 'p99') => {
      const wait = ({ result }: Measurement) => (scenario.stream ? result.ttft_ms : result.latency_ms)[quantile];
      return system === 'nginx' ? undefined : against('nginx', wait, (own, base) => own - base);
    };
    const middle = (of: (run: Measurement) => number) => median(runs.map(of)) ?? 0;
    return [
      {
        system,
        cpu,
        main: middle((run) => run.cpu.main),
        other: middle((run) => run.cpu.other),
        toNginx: ratio('nginx'),
        toRelay: ratio('relay'),
        toLogOff: system.startsWith('log-') || system === 'gateway' ? ratio('log-off') : undefined,
        abovePass: system.startsWith('gateway ') ? against('gateway', total, (own, base) => own - base) : undefined,
        addedP50: added('p50'),
        addedP99: added('p99'),
        rps: middle(({ result }) => result.rps),
        peak: middle((run) => run.peak),
        failures: runs.reduce((sum, { result }) => sum + result.errors + result.incomplete, 0),
      },
    ];
  });
}
