import type { StoreState } from '../../../../core/logs/reader.ts';
import { unknownStore } from '../../../../core/logs/unknown-store.ts';
import { bytes, count, duration, percent } from '../../browser/format.ts';
import { Ago, Badge, Bar, Facts, type Tone } from '../../components/display.tsx';
import { Panel } from '../../components/surface.tsx';

/** Where records are stored, and whether records are lost. */
export function Store({ store }: { store: StoreState }) {
  const { kind, records, bytes: size, oldest, spool, dropped, dropped_bodies: bodies } = store;
  const fill = spool.limit === 0 ? 0 : spool.bytes / spool.limit;
  return (
    <Panel title="Request log" aside={<Badge tone={toneOf(store)}>{stateOf(store)}</Badge>}>
      {kind === 'off' ? (
        <p class="muted">
          No requests are stored. <code>logging.requests.store</code> switches the log on.
        </p>
      ) : (
        <Facts
          rows={[
            ...(isUnknown(store)
              ? ([['size', 'not known: the store has not reported it yet']] as const)
              : ([
                  ['stored in', <code key="k">{kind}</code>],
                  ['records', count(records)],
                  ['size', bytes(size)],
                  ['oldest', oldest === null ? 'none yet' : <Ago key="o" at={oldest} />],
                ] as const)),
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

/** Until the store has responded for the first time. */
export const isUnknown = ({ kind }: StoreState): boolean => kind === unknownStore;

function stateOf(store: StoreState): string {
  if (store.kind === 'off') return 'off';
  if (store.problems.length > 0) return 'failing';
  return isUnknown(store) ? unknownStore : 'up to date';
}

function toneOf(store: StoreState): Tone {
  if (store.problems.length > 0) return 'warn';
  return store.kind === 'off' || isUnknown(store) ? 'off' : 'ok';
}
