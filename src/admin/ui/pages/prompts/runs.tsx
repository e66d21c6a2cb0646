import type { SearchPage } from '../../../../core/logs/reader.ts';
import type { LogRow } from '../../../../core/logs/row.ts';
import { get } from '../../browser/api.ts';
import { duration } from '../../browser/format.ts';
import { useLoad } from '../../browser/load.ts';
import { Ago } from '../../components/display.tsx';
import { LoadedView, Panel } from '../../components/surface.tsx';
import { Table } from '../../components/table.tsx';
import { Cost, Route, Status, Tokens } from '../../log/cells.tsx';
import { requestHref, requestsHref, term } from '../../log/terms.ts';

const shown = 8;

/** The newest requests that used the prompt. A new `turn` reloads them. */
export function Runs({ id, turn }: { id: string; turn: number }) {
  const filter = term('prompt', id);
  const loaded = useLoad((signal) => get<SearchPage>('/api/requests', { q: filter, limit: shown }, signal), [id, turn], 10_000);
  return (
    <Panel title="Last runs" aside={<a href={requestsHref(filter, 'all')}>All runs</a>} flush>
      <LoadedView loaded={loaded} lines={4}>
        {({ rows }) => (
          <Table<LogRow>
            caption={`Last runs of ${id}`}
            rows={rows}
            rowKey={(row) => row.id}
            columns={[
              {
                name: 'Time',
                cell: (row) => (
                  <a href={requestHref(row.id)}>
                    <Ago at={row.at} />
                  </a>
                ),
              },
              { name: 'Status', cell: (row) => <Status {...row} /> },
              { name: 'Route', cell: (row) => <Route row={row} /> },
              { name: 'Duration', isNumber: true, cell: (row) => duration(row.latency) },
              { name: 'Tokens', isNumber: true, cell: (row) => <Tokens row={row} /> },
              { name: 'Cost', isNumber: true, cell: (row) => <Cost {...row} /> },
            ]}
            empty={<p class="muted padded">It has not been run yet, or the records have been deleted. Runs of Try it appear here.</p>}
          />
        )}
      </LoadedView>
    </Panel>
  );
}
