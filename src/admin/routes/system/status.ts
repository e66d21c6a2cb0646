import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { StoreState } from '../../../core/logs/reader.ts';
import type { Status } from '../../api-types.ts';
import type { AdminCall, AdminRoute } from '../route.ts';

/** Milliseconds between its looks: each one wakes the event loop. */
const lookMs = 100;

/** Measures the event loop from the first question on: most gateways are never asked. */
class LoopDelay {
  #histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;

  read(): Status['loop_delay_ms'] {
    if (this.#histogram === undefined) {
      this.#histogram = monitorEventLoopDelay({ resolution: lookMs });
      this.#histogram.enable();
    }
    const ms = (percent: number): number => {
      const value = this.#histogram?.percentile(percent) ?? 0;
      return Number.isFinite(value) ? Math.max(0, Math.round(value / 1e5) / 10 - lookMs) : 0;
    };
    return { p50: ms(50), p99: ms(99) };
  }
}

const noStore: StoreState = {
  kind: 'off',
  records: 0,
  bytes: 0,
  oldest: null,
  spool: { bytes: 0, limit: 0, behind_ms: 0 },
  dropped: 0,
  dropped_bodies: 0,
  problems: [],
};

export function statusRoutes(): readonly AdminRoute[] {
  const delay = new LoopDelay();
  return [
    {
      method: 'GET',
      path: '/api/status',
      role: 'viewer',
      about: 'What the gateway serves, how it does, and how its last reload ended.',
      returns: '`Status`',
      handle: async (call) => ({ json: await statusOf(call, delay) }),
    },
  ];
}

async function statusOf({ subject }: AdminCall, delay: LoopDelay): Promise<Status> {
  const { inFlight, openStreams, isDraining, bodies, bodiesLimit } = subject.activity();
  const { lastReload, rolledBackTo, restartNeeded, notes } = subject.configState();
  const { rss, heapUsed } = process.memoryUsage();
  const store = await subject.logs()?.state();
  const providers = subject.health();
  return {
    version: subject.version,
    node: process.version,
    pid: process.pid,
    started_at: subject.startedAt,
    url: subject.url,
    revision: subject.snapshot().revision,
    config_path: subject.configPath ?? null,
    last_reload: lastReload,
    rolled_back_to: rolledBackTo,
    restart_needed: restartNeeded,
    in_flight: inFlight,
    open_streams: openStreams,
    draining: isDraining,
    memory: { rss, heap: heapUsed, bodies, bodies_limit: bodiesLimit },
    loop_delay_ms: delay.read(),
    store: store ?? noStore,
    notes,
    plugins: subject.plugins(),
    providers,
  };
}
