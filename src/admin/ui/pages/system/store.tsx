import type { StoreState } from '../../../../core/logs/reader.ts';
import { bytes, count, duration, percent } from '../../browser/format.ts';
import { Ago, Badge, Bar, Facts } from '../../components/display.tsx';
import { Panel } from '../../components/surface.tsx';

/** Where records are stored, and whether records are lost. */
export function Store({ store }: { store: StoreState }) {
  const { kind, records, bytes: size, oldest, spool, dropped, dropped_bodies: bodies, problems } = store;
  const fill = spool.limit === 0 ? 0 : spool.bytes / spool.limit;
  return (
    <Panel title="Request log" aside={<Badge tone={problems.length > 0 ? 'warn' : kind === 'off' ? 'off' : 'ok'}>{stateOf(store)}</Badge>}>
      {kind === 'off' ? (
        <p class="muted">
          No requests are stored. <code>logging.requests.store</code> switches the log on.
        </p>
      ) : (
        <Facts
          rows={[
            ['stored in', <code key="k">{kind}</code>],
            ['records', count(records)],
            ['size', bytes(size)],
            ['oldest', oldest === null ? 'none yet' : <Ago key="o" at={oldest} />],
            [
              'spool',
              <span key="s" class="stack tight">
                <span>
                  {bytes(spool.bytes)} of {bytes(spool.limit)} ({percent(spool.bytes, spool.limit)}), {duration(spool.behind_ms)} behind
                </span>
                <Bar parts={[spool.bytes]} of={spool.limit} tone={fill > 0.8 ? 'bad' : fill > 0.4 ? 'warn' : undefined} />
              </span>,
            ],
            [
              'dropped records',
              dropped === 0 ? (
                'none'
              ) : (
                <Badge key="d" tone="bad">
                  {count(dropped)}
                </Badge>
              ),
            ],
            [
              'dropped bodies',
              bodies === 0 ? (
                'none'
              ) : (
                <Badge key="b" tone="warn">
                  {count(bodies)}
                </Badge>
              ),
            ],
          ]}
        />
      )}
    </Panel>
  );
}

const stateOf = ({ kind, problems }: StoreState): string => (kind === 'off' ? 'off' : problems.length > 0 ? 'failing' : 'up to date');
