import type { StoreState } from '../../../core/logs/reader.ts';
import type { Status } from '../../api-types.ts';
import { mostRelevant } from '../../provider-order.ts';
import { exampleOf } from '../../views/example.ts';
import type { AdminCall, AdminRoute } from '../route.ts';

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

/** Milliseconds to wait for the state of the request log. Its last known state is shown while the database does not respond. */
const storeWaitMs = 300;

/** Maximum number of providers in the response: `gateway status` and a page of the dashboard read it every few seconds. */
const maxProviders = 100;

export function statusRoutes(): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/status',
      role: 'viewer',
      about: 'State of the gateway, and the result of its last reload.',
      returns: '`Status`',
      handle: async (call) => ({ json: await statusOf(call) }),
    },
  ];
}

async function statusOf({ subject }: AdminCall): Promise<Status> {
  await subject.refreshWorkerFigures();
  const { inFlight, openStreams, isDraining, bodies, bodiesLimit } = subject.activity();
  const { lastReload, rolledBackTo, restartNeeded, notes } = subject.configState();
  const { rss, heap, loop_delay_ms } = subject.processes();
  const store = await subject.logs()?.state(storeWaitMs);
  const providers = subject.health();
  return {
    version: subject.version,
    node: process.version,
    pid: process.pid,
    started_at: subject.startedAt,
    url: subject.url,
    example: exampleOf(subject.snapshot()),
    header_prefixes: subject.snapshot().server.headerPrefixes,
    revision: subject.snapshot().revision,
    config_path: subject.configPath ?? null,
    last_reload: lastReload,
    rolled_back_to: rolledBackTo,
    restart_needed: restartNeeded,
    in_flight: inFlight,
    open_streams: openStreams,
    draining: isDraining,
    memory: { rss, heap, bodies, bodies_limit: bodiesLimit },
    loop_delay_ms,
    store: store ?? noStore,
    notes,
    workers: workersOf(subject),
    plugins: subject.plugins(),
    providers: mostRelevant(providers, maxProviders),
    providers_total: providers.length,
  };
}

function workersOf(subject: AdminCall['subject']): Status['workers'] {
  return (subject.workers() ?? []).map(({ pid, inFlight, lastEnd, figures, ...one }) => ({
    ...one,
    pid: pid ?? null,
    in_flight: inFlight,
    last_end: lastEnd ?? null,
    memory: figures === undefined ? null : { rss: figures.rss, heap: figures.heap },
    loop_delay_ms: figures?.loop_delay_ms ?? null,
  }));
}
