import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Status } from '../../../api-types.ts';
import type { StoredRecord } from '../../../../core/logs/reader.ts';
import type { LogRow } from '../../../../core/logs/row.ts';
import { get } from '../../browser/api.ts';
import { gatewayNow } from '../../browser/gateway-state.ts';
import { type Loaded, useLoad } from '../../browser/load.ts';
import { parameters, setParameters } from '../../browser/route.ts';
import { hasEnded } from '../../browser/session.ts';
import { useShortcuts } from '../../browser/shortcuts.ts';
import { Button } from '../../components/button.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/surface.tsx';
import { LogSwitchedOff } from '../../log/log-switched-off.tsx';
import { RangePicker } from '../../log/range-picker.tsx';
import { hasTimes, isRange, type TimeRange, withoutTimes, withRange } from '../../log/terms.ts';
import { FirstRequest } from '../overview/first-request.tsx';
import { useRequestActions } from '../request/actions/use-request-actions.tsx';
import { recordPath, RequestView } from '../request/view.tsx';
import { FilterBar, problemOf } from './filter/filter-bar.tsx';
import { Views } from './filter/views.tsx';
import { ColumnsMenu } from './grid/columns-menu.tsx';
import { Grid } from './grid/grid.tsx';
import { ListFooter } from './list/list-footer.tsx';
import { Histogram } from './list/histogram.tsx';
import { LiveBar } from './list/live-bar.tsx';
import { useLive } from './list/use-live.ts';
import { type Rows, useRows } from './list/use-rows.ts';
import { SidePanel } from './list/side-panel.tsx';
import { isRangeOver } from './list/time-span.ts';

const defaultRange: TimeRange = '24h';

/** A filter that is only a request id, copied from an exception or a log: it finds that request at any time. */
const requestIdPattern = /^\s*(req_[0-9A-Z]{26})\s*$/;

export function Requests() {
  const status = useLoad((signal) => get<Status>('/api/status', {}, signal), []);
  if (status.data?.store.kind !== 'off') return <RequestList status={status} />;
  return (
    <Page title="Requests">
      <LogSwitchedOff />
    </Page>
  );
}

function RequestList({ status }: { status: Loaded<Status> }) {
  const filter = parameters.value.get('q') ?? '';
  const requestedRange = parameters.value.get('range');
  const range = isRange(requestedRange) ? requestedRange : defaultRange;
  const open = parameters.value.get('open') ?? undefined;
  const isValid = useMemo(() => problemOf(filter) === undefined, [filter]);
  const query = withRange(filter, range);
  const late = useRef<(rows: readonly LogRow[]) => void>(() => undefined);
  const rows = useRows(query, isValid, late);
  const [selected, setSelected] = useState(open);
  const [isTop, setTop] = useState(true);
  const [isLive, setLive] = useState(true);
  const [menu, setMenu] = useState<Menu>();
  const flows = isTop && selected === undefined && open === undefined;
  // A range with an end in the past gets no new rows.
  const hasEnd = isRangeOver(query, gatewayNow());
  // Nor does a filter that this user may not use, and no list before the user has signed in again.
  const mayRead = rows.error?.status !== 403 && !hasEnded.value;
  const live = useLive(query, isLive && isValid && !hasEnd && mayRead, flows, rows);
  late.current = live.addRows;
  useLayoutEffect(() => setSelected((before) => open ?? before), [open]);
  // A new list starts at the top. Without a deselection, new rows would wait although the selected row may not be in the list.
  useLayoutEffect(() => {
    setSelected(open);
    toTop();
  }, [query]);

  const { show, wasOpened } = useOpening(open);
  // Times in the filter would override the selected range.
  const setRange = (next: TimeRange): void => setParameters({ range: next === defaultRange ? undefined : next, q: withoutTimes(filter) });
  useListKeys({ rows, selected, open, select: setSelected, show, toggleLive: () => hasEnd || setLive((on) => !on), menu: setMenu });

  // If the log is off, every call fails, and no error is shown.
  const isKnown = status.data !== undefined || status.error !== undefined;
  const oldest = isKnown ? (status.data?.store.oldest ?? null) : undefined;
  const isEmpty = status.data?.store.records === 0 && rows.rows.length === 0 && filter === '' && rows.next !== undefined;
  if (isEmpty && status.data !== undefined)
    return (
      <Page title="Requests">
        <FirstRequest
          status={status.data}
          isLoading={status.loading || rows.loading}
          onFirst={() => [status, rows].forEach(({ reload }) => reload())}
        />
      </Page>
    );
  return (
    <Page
      title="Requests"
      fixed
      aside={
        <Tools
          isLive={isLive && !hasEnd}
          hasEnd={hasEnd}
          onLive={() => setLive(!isLive)}
          range={range}
          overruled={hasTimes(filter)}
          onRange={setRange}
          menu={menu}
          onMenu={setMenu}
        />
      }
    >
      <div class="list-head">
        <FilterBar filter={filter} onFilter={setFilter} />
        <Views filter={filter} onFilter={setFilter} />
      </div>
      <Histogram
        query={query}
        isValid={isValid}
        newest={rows.rows[0]?.id}
        oldest={oldest}
        isErrorShown={rows.error !== undefined}
        onRange={setRange}
      />
      <div class={open === undefined ? 'list' : 'list with-side'}>
        <div class="list-main">
          {isKnown && rows.error !== undefined && rows.error.code !== 'invalid_filter' && (
            <Problem error={rows.error} onRetry={rows.reload} />
          )}
          <LiveBar live={live} flows={flows} rows={rows} onShow={() => showNew(live.show, setSelected)} />
          <Grid
            rows={rows.rows}
            selected={selected}
            loading={rows.loading}
            isOld={rows.isOld}
            onTop={setTop}
            onEnd={rows.loadMore}
            onOpen={({ id }) => {
              setSelected(id);
              show(id);
            }}
            footer={<ListFooter rows={rows} isValid={isValid} filter={filter} range={range} onRange={setRange} onFilter={setFilter} />}
          />
        </div>
        {open !== undefined && (
          <SidePanel takesFocus={wasOpened} onClose={() => show(undefined)}>
            <RequestView key={open} id={open} isPanel onClose={() => show(undefined)} />
          </SidePanel>
        )}
      </div>
      {open === undefined && <SelectedRow id={selected} />}
    </Page>
  );
}

/** The keys of an open request, for the selected row while none is open. */
const SelectedRow = ({ id }: { id: string | undefined }) => useRequestActions(id, (of) => get<StoredRecord>(recordPath(of))).dialog;

function setFilter(next: string): void {
  const id = requestIdPattern.exec(next)?.[1];
  setParameters(id === undefined ? { q: next, open: undefined } : { q: `id:${id}`, open: id, range: 'all' });
}

/** Opens the request of a row. `wasOpened`: the user opened it, and not the initial address. */
function useOpening(open: string | undefined): { readonly show: (id: string | undefined) => void; readonly wasOpened: boolean } {
  const wasOpened = useRef(false);
  const show = (id: string | undefined): void => {
    wasOpened.current = true;
    setParameters({ open: id }, { replace: open !== undefined && id !== undefined });
  };
  return { show, wasOpened: wasOpened.current };
}

type Menu = 'time' | 'columns';

interface ToolsProps {
  readonly isLive: boolean;
  readonly hasEnd: boolean;
  readonly onLive: () => void;
  readonly range: TimeRange;
  readonly overruled: boolean;
  readonly onRange: (range: TimeRange) => void;
  readonly menu: Menu | undefined;
  readonly onMenu: (menu: Menu | undefined) => void;
}

function Tools({ isLive, hasEnd, onLive, range, overruled, onRange, menu, onMenu }: ToolsProps) {
  return (
    <>
      <Button
        icon={isLive ? 'pause' : 'play'}
        pressed={isLive}
        disabled={hasEnd}
        label={hasEnd ? 'No live rows: the time range has an end' : isLive ? 'Pause live rows' : 'Show live rows'}
        shortcut="l"
        onClick={onLive}
      >
        Live
      </Button>
      <RangePicker
        range={range}
        overruled={overruled}
        open={menu === 'time'}
        onOpen={(on) => onMenu(on ? 'time' : undefined)}
        onRange={onRange}
      />
      <ColumnsMenu open={menu === 'columns'} onOpen={(on) => onMenu(on ? 'columns' : undefined)} />
    </>
  );
}

const toTop = (): void => document.querySelector('.grid-box')?.scrollTo({ top: 0 });

function showNew(flush: () => void, select: (id: undefined) => void): void {
  flush();
  select(undefined);
  toTop();
}

/** A button that still has the focus would receive Enter, which opens the selected row. */
function takeEnter(): void {
  if (document.activeElement?.closest('a, button, summary'))
    document.querySelector<HTMLElement>('.grid-box')?.focus({ preventScroll: true });
}

interface ListKeys {
  readonly rows: Rows;
  readonly selected: string | undefined;
  readonly open: string | undefined;
  readonly select: (id: string | undefined) => void;
  readonly show: (id: string | undefined) => void;
  readonly toggleLive: () => void;
  readonly menu: (menu: Menu) => void;
}

function useListKeys({ rows, selected, open, select, show, toggleLive, menu }: ListKeys): void {
  const list = rows.rows;
  const step = (by: number, alsoOpen: boolean): void => {
    const at = list.findIndex(({ id }) => id === (alsoOpen ? (open ?? selected) : selected));
    const next: LogRow | undefined = list[at < 0 ? 0 : Math.min(list.length - 1, Math.max(0, at + by))];
    if (next === undefined) return;
    select(next.id);
    if (alsoOpen) show(next.id);
    else takeEnter();
  };
  useShortcuts([
    { keys: 'j', does: 'select the next row', group: 'Requests', run: () => step(1, false) },
    { keys: 'k', does: 'select the previous row', group: 'Requests', run: () => step(-1, false) },
    { keys: 'Enter', does: 'open the selected row', group: 'Requests', run: () => show(selected) },
    { keys: '[', does: 'open the previous row', group: 'Requests', run: () => step(-1, true) },
    { keys: ']', does: 'open the next row', group: 'Requests', run: () => step(1, true) },
    {
      keys: 'Escape',
      does: 'close, then clear the selection',
      group: 'Requests',
      run: () => (open === undefined ? select(undefined) : show(undefined)),
    },
    { keys: 'l', does: 'switch live rows on and off', group: 'Requests', run: toggleLive },
    { keys: 't', does: 'choose the time range', group: 'Requests', run: () => menu('time') },
    { keys: 'c', does: 'choose columns', group: 'Requests', run: () => menu('columns') },
  ]);
}
