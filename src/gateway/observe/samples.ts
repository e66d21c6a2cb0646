import { periodStart } from '../../core/limits/budget-period.ts';
import { budgetedCallers } from '../../core/limits/recorded-spending.ts';
import type { LogReader, StoreState } from '../../core/logs/reader.ts';
import { unknownStore } from '../../core/logs/unknown-store.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { StoreStats } from '../../store/frame.ts';
import type { Sample } from '../../telemetry/metrics/sample.ts';
import type { ConfigState } from '../reload/state.ts';
import { version } from '../version.ts';

/** State of the running gateway that is read for each metrics scrape. */
export interface ObservedState {
  /** Unix milliseconds. */
  now(): number;
  /** `bodies`: memory used by bodies, in bytes. */
  activity(): {
    readonly inFlight: number;
    readonly openStreams: number;
    readonly bodies: number;
    readonly bodiesLimit: number;
    readonly rejectedConnections: number;
  };
  config(): ConfigState;
  readonly spool: StoreStats;
  /** Number of records whose bodies could not be masked in time. */
  readonly masking: { readonly dropped: number };
  /** Undefined if no request log is kept. */
  logs(): Pick<LogReader, 'state'> | undefined;
  /** See `PluginHost.spent`. */
  spent(caller: string, sinceDay: number): bigint;
}

/** Maximum number of samples for a label whose values are names from the configuration. */
const maxSamples = 100;

export function trafficSamples({ activity }: ObservedState): readonly Sample[] {
  const { inFlight, openStreams, bodies, bodiesLimit, rejectedConnections } = activity();
  return [
    ['gateway_inflight_requests', [], inFlight],
    ['gateway_open_streams', [], openStreams],
    ['gateway_connections_rejected_total', [], rejectedConnections],
    ['gateway_body_memory_bytes', [], bodies],
    ['gateway_body_memory_limit_bytes', [], bodiesLimit],
  ];
}

export function configSamples({ config }: Pick<ObservedState, 'config'>): readonly Sample[] {
  const { state, revision, loaded_at: loadedAt } = config();
  return [
    ['gateway_config_last_reload_successful', [], state === 'ok' ? 1 : 0],
    ['gateway_config_last_reload_success_timestamp_seconds', [], Date.parse(loadedAt) / 1000],
    ['gateway_config_info', [revision], 1],
    ['gateway_build_info', [version, process.version], 1],
  ];
}

export function providerSamples({ providers }: Snapshot, isUp: (slug: string) => boolean): readonly Sample[] {
  const slugs = [...new Set([...providers.values()].flatMap(({ slug, unusable }) => (unusable === undefined ? [slug] : [])))];
  return slugs.slice(0, maxSamples).map((slug) => ['gateway_provider_up', [slug], isUp(slug) ? 1 : 0]);
}

/**
 * A key that is being rotated has several secrets: it is valid as long as the last of them. Keys that expire next come first,
 * then those that expired most recently.
 *
 * @param now Unix milliseconds
 */
export function keySamples({ apiKeys }: Snapshot, now: number): readonly Sample[] {
  const ends = new Map<string, number>();
  for (const { name, expires, retires, revoked } of apiKeys.values()) {
    const end = Math.min(expires ?? Infinity, retires ?? Infinity, revoked ?? Infinity);
    ends.set(name, Math.max(ends.get(name) ?? 0, end));
  }
  const known = [...ends].filter(([, end]) => Number.isFinite(end)).toSorted(([, one], [, other]) => one - other);
  const next = known.filter(([, end]) => end > now);
  const past = known.slice(0, known.length - next.length).toReversed();
  return [...next, ...past].slice(0, maxSamples).map(([name, end]) => ['gateway_key_expiry_timestamp_seconds', [name], end / 1000]);
}

/** The used part of the budget of each key, the highest first. Callers with tokens have no series: any number of them exist. */
export function budgetSamples(snapshot: Snapshot, { now, spent }: Pick<ObservedState, 'now' | 'spent'>): readonly Sample[] {
  const used = [...budgetedCallers(snapshot).keys].map(([name, { pico, period }]): [string, number] => {
    const sum = spent(name, periodStart(period, now()));
    return [name, pico === 0n ? 1 : Number(sum) / Number(pico)];
  });
  const highest = used.toSorted(([, one], [, other]) => other - one).slice(0, maxSamples);
  return highest.map(([name, share]) => ['gateway_key_budget_used_ratio', [name], share]);
}

/** Of the request log. */
export class LogSamples {
  /**
   * The highest count so far: some evicted records turn out to be stored, and Prometheus interprets a lower counter as a
   * restart.
   */
  #dropped = 0;

  async read({ spool, masking, logs }: Pick<ObservedState, 'spool' | 'masking' | 'logs'>): Promise<readonly Sample[]> {
    const state = await logs()?.state();
    this.#dropped = Math.max(this.#dropped, state?.dropped ?? spool.dropped);
    const droppedSamples: readonly Sample[] = [
      ['gateway_log_dropped_total', ['records'], this.#dropped],
      ['gateway_log_dropped_total', ['bodies'], (state?.dropped_bodies ?? 0) + masking.dropped],
    ];
    if (state === undefined) return droppedSamples;
    return [
      ...droppedSamples,
      ['gateway_log_spool_bytes', [], state.spool.bytes],
      ['gateway_log_spool_limit_bytes', [], state.spool.limit],
      ['gateway_log_lag_seconds', [], state.spool.behind_ms / 1000],
      ...(state.kind === unknownStore ? [] : sizeSamples(state)),
      ['gateway_log_problems', [], state.problems.length],
    ];
  }
}

const sizeSamples = ({ records, bytes }: StoreState): readonly Sample[] => [
  ['gateway_log_records', [], records],
  ['gateway_log_store_bytes', [], bytes],
];
