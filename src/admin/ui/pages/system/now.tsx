import type { Status } from '../../../api-types.ts';
import { gatewayNow } from '../../browser/gateway-state.ts';
import { bytes, clock, count, day, duration } from '../../browser/format.ts';
import type { Loaded } from '../../browser/load.ts';
import { hasRole } from '../../browser/session.ts';
import { CopyButton } from '../../components/button.tsx';
import { Ago, Badge, Facts, Figure, Tag } from '../../components/display.tsx';
import { LoadedView, Notice, Panel } from '../../components/surface.tsx';
import { Table } from '../../components/table.tsx';
import { LastReload } from './last-reload.tsx';
import { isUnknown, Store } from './store.tsx';
import { Workers } from './workers.tsx';

/** State of the process, active configuration, and conditions that need attention. */
export function Now({ status }: { status: Loaded<Status> }) {
  return (
    <div class="stack">
      <LoadedView loaded={status} lines={12}>
        {(data) => (
          <>
            <LastReload status={data} />
            <Warnings status={data} />
            <Figures status={data} />
            <div class="halves even">
              <Process status={data} />
              <Store store={data.store} />
            </div>
            <Workers workers={data.workers} />
            <Plugins plugins={data.plugins} />
          </>
        )}
      </LoadedView>
    </div>
  );
}

function Warnings({ status }: { status: Status }) {
  const { rolled_back_to: older, restart_needed: restart, draining, in_flight: open, notes, store } = status;
  return (
    <>
      {draining && (
        <Notice
          tone="warn"
          title={`The gateway is stopping; ${open === 1 ? '1 request is' : `${count(open)} requests are`} still running`}
        />
      )}
      {older !== null && (
        <Notice tone="warn" title={`Rolled back to revision ${older}`}>
          <p>
            The files contain another revision. Saving a file, or Reload, activates it. <a href="/system/revisions">Compare</a>
          </p>
        </Notice>
      )}
      {restart.length > 0 && (
        <Notice tone="warn" title="These settings take effect after a restart">
          <div class="row">
            {restart.map((path) => (
              <Tag key={path}>{path}</Tag>
            ))}
          </div>
        </Notice>
      )}
      {[...new Set([...store.problems, ...notes])].map((note) => (
        <Notice key={note} tone="warn" title={note} />
      ))}
    </>
  );
}

function Figures({ status }: { status: Status }) {
  const { revision, in_flight: open, open_streams: streams, memory, loop_delay_ms: loop, store, started_at: since } = status;
  return (
    <section class="panel figures" aria-label="Figures">
      <Figure
        name="Revision"
        value={revision}
        note={status.rolled_back_to === null ? 'of the files' : 'rolled back'}
        href={hasRole('operator') ? '/system/revisions' : undefined}
      />
      <Figure name="Uptime" value={duration(Math.max(0, gatewayNow() - since))} note={`since ${day(since)} ${clock(since)}`} />
      <Figure name="In progress" value={count(open)} note={`${count(streams)} open streams`} />
      <Figure name="Memory" value={bytes(memory.rss)} note={`heap ${bytes(memory.heap)}`} />
      <Figure name="Bodies in memory" value={bytes(memory.bodies)} note={`of ${bytes(memory.bodies_limit)}`} />
      <Figure name="Event loop delay" value={duration(loop.p99)} note={`p99; p50 ${duration(loop.p50)}`} />
      <Figure
        name="Records"
        value={isUnknown(store) ? '–' : count(store.records)}
        note={isUnknown(store) ? 'not known yet' : bytes(store.bytes)}
      />
      <Figure
        name="Dropped"
        value={count(store.dropped)}
        note={store.dropped_bodies === 0 ? 'records not stored' : `and ${count(store.dropped_bodies)} bodies`}
      />
    </section>
  );
}

function Process({ status }: { status: Status }) {
  return (
    <Panel title="Process">
      <Facts
        rows={[
          ['version', status.version],
          ['Node', status.node],
          ['process id', status.workers.length === 0 ? status.pid : `${status.pid}, supervises the workers`],
          ['started', <Ago key="s" at={status.started_at} />],
          [
            'data listener',
            <span key="u" class="row">
              <code class="break">{status.url}</code>
              <CopyButton text={status.url} what="address" />
            </span>,
          ],
          ['file', status.config_path === null ? 'none: try-out mode' : <code key="f">{status.config_path}</code>],
          [
            'state',
            <Badge key="d" tone={status.draining ? 'warn' : 'ok'}>
              {status.draining ? 'draining' : 'serving'}
            </Badge>,
          ],
        ]}
      />
    </Panel>
  );
}

type Plugin = Status['plugins'][number];

function Plugins({ plugins }: { plugins: readonly Plugin[] }) {
  return (
    <Panel title="Plugins" aside={<span class="muted small">in the order in which they run; time of the last requests</span>} flush>
      <Table
        caption="Plugins and their cost"
        rows={plugins}
        rowKey={({ name }) => name}
        columns={[
          { name: 'Plugin', cell: ({ name }) => <Tag>{name}</Tag> },
          { name: 'Moments', cell: ({ moments }) => <span class="muted">{moments.join(' · ')}</span> },
          { name: 'p50', isNumber: true, cell: ({ p50_ms: ms }) => duration(ms) },
          { name: 'p95', isNumber: true, cell: ({ p95_ms: ms }) => duration(ms) },
        ]}
        empty={<p class="muted padded">The chain has no plugins.</p>}
      />
    </Panel>
  );
}
