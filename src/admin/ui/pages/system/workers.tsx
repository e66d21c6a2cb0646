import type { Status, WorkerView } from '../../../api-types.ts';
import { bytes, count, duration, plural } from '../../browser/format.ts';
import { Ago, Badge } from '../../components/display.tsx';
import { Panel } from '../../components/surface.tsx';
import { Table } from '../../components/table.tsx';

const tones: Readonly<Record<WorkerView['state'], 'ok' | 'warn' | 'bad'>> = {
  serving: 'ok',
  starting: 'warn',
  stopping: 'warn',
  waiting: 'bad',
  silent: 'bad',
};

const meanings: Readonly<Record<WorkerView['state'], string>> = {
  serving: 'serving',
  starting: 'starting',
  stopping: 'stopping',
  waiting: 'ended, starts again soon',
  silent: 'does not respond',
};

/** The worker processes, their load, and replaced ones. Empty if there is only one process. */
export function Workers({ workers }: { workers: Status['workers'] }) {
  if (workers.length === 0) return null;
  const all = workers.reduce((sum, { requests }) => sum + requests, 0);
  const up = workers.filter(({ state }) => state === 'serving').length;
  return (
    <Panel
      title="Workers"
      aside={
        <span class="muted small">
          {count(up)} of {count(workers.length)} serve
        </span>
      }
      flush
    >
      <Table
        caption="Worker processes"
        rows={workers}
        rowKey={({ worker }) => `${worker}`}
        columns={[
          { name: 'Worker', cell: ({ worker }) => worker },
          { name: 'Process id', isNumber: true, cell: ({ pid }) => pid ?? '–' },
          { name: 'State', cell: ({ state }) => <Badge tone={tones[state]}>{meanings[state]}</Badge> },
          { name: 'In progress', isNumber: true, cell: ({ in_flight: open }) => count(open) },
          { name: 'Requests', isNumber: true, cell: ({ requests }) => count(requests) },
          { name: 'Share', isNumber: true, cell: ({ requests }) => (all === 0 ? '–' : `${Math.round((requests / all) * 100)} %`) },
          { name: 'Memory', isNumber: true, cell: ({ memory }) => (memory === null ? '–' : bytes(memory.rss)) },
          { name: 'Loop delay p99', isNumber: true, cell: ({ loop_delay_ms: loop }) => (loop === null ? '–' : duration(loop.p99)) },
          { name: 'Replaced', cell: (worker) => <Replaced {...worker} /> },
        ]}
        empty={null}
      />
    </Panel>
  );
}

function Replaced({ restarts, last_end: last }: WorkerView) {
  if (last === null) return <span class="muted">never</span>;
  return (
    <span>
      {plural(restarts, 'time')}, last <Ago at={last.at} /> <span class="muted break">({last.why})</span>
    </span>
  );
}
