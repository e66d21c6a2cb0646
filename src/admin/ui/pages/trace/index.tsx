import { useMemo } from 'preact/hooks';
import { isUnpriced, type LogRow } from '../../../../core/logs/row.ts';
import { get } from '../../browser/api.ts';
import { count, duration, moment, plural, usd } from '../../browser/format.ts';
import { useLoad } from '../../browser/load.ts';
import { CopyButton } from '../../components/button.tsx';
import { Empty } from '../../components/display.tsx';
import { Page } from '../../components/page.tsx';
import { LoadedView, Panel } from '../../components/surface.tsx';
import { Cost, Route, Status, Tokens } from '../../log/cells.tsx';
import { sumOf } from '../../log/money.ts';
import { requestHref, requestsHref, term } from '../../log/terms.ts';
import { type TraceNode, stepOf, treeOf } from './tree.ts';

/** All requests of one trace, as a tree of spans on a common time axis. */
export function TracePage({ name = '' }: { name: string | undefined }) {
  const loaded = useLoad(
    (signal) => get<{ readonly rows: readonly LogRow[] }>(`/api/traces/${encodeURIComponent(name)}`, {}, signal),
    [name],
  );
  return (
    <Page title="Trace" aside={<a href={requestsHref(term('trace', name), 'all')}>Show as a list</a>}>
      <div class="row">
        <code class="break">{name}</code>
        <CopyButton text={name} what="trace id" />
      </div>
      <LoadedView loaded={loaded} lines={8}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty icon="search" title="No request of this trace is stored">
              <p>
                Send <code>traceparent</code> or <code>x-gateway-trace-id</code> with the requests of one task, and they appear here
                together.
              </p>
            </Empty>
          ) : (
            <Tree rows={rows} />
          )
        }
      </LoadedView>
    </Page>
  );
}

/** The requests of one trace, as returned by the gateway. */
const maxTraceRows = 1000;

function Tree({ rows }: { rows: readonly LogRow[] }) {
  const nodes = useMemo(() => treeOf(rows), [rows]);
  const start = Math.min(...rows.map(({ at }) => at));
  const end = Math.max(...rows.map(({ at, latency }) => at + latency), start + 1);
  const tokens = rows.reduce((sum, row) => sum + row.tokens_in + row.tokens_out, 0);
  const unpriced = rows.filter(isUnpriced).length;
  const cost = usd(sumOf(rows.map((row) => row.cost)));
  return (
    <Panel
      title={plural(rows.length, 'request')}
      aside={
        <span class="muted small">
          {moment(start)} · {duration(end - start)} · {count(tokens)} tokens · {cost}
          {unpriced > 0 && ` and ${unpriced} with an unknown price`}
        </span>
      }
      flush
    >
      {rows.length >= maxTraceRows && <p class="trace-note muted">A trace is shown as far as its first {count(maxTraceRows)} requests.</p>}
      <ol class="trace">
        {nodes.map((node) => (
          <Branch key={node.row?.id ?? `span ${node.span}`} node={node} start={start} whole={end - start} />
        ))}
      </ol>
    </Panel>
  );
}

/** Minimum width of a bar in percent, so that short requests remain visible. */
const minBarWidth = 0.6;

function Branch({ node, start, whole }: { node: TraceNode; start: number; whole: number }) {
  const { row, span, depth } = node;
  const indent = { '--depth': depth };
  if (row === null)
    return (
      <li class="trace-row">
        <span class="trace-name" style={indent}>
          <strong class="cut" title={span}>
            {span}
          </strong>
          <span class="muted nowrap">not recorded</span>
        </span>
      </li>
    );
  const width = Math.max(minBarWidth, (100 * row.latency) / whole);
  const left = Math.min(100 - width, (100 * (row.at - start)) / whole);
  const step = stepOf(row);
  return (
    <li>
      <a class="trace-row" href={requestHref(row.id)}>
        <span class="trace-name" style={indent}>
          <span class="hidden-text">level {depth + 1}</span>
          {step !== null && (
            <strong class="cut" title={step}>
              {step}
            </strong>
          )}
          <Route row={row} />
        </span>
        <Status {...row} />
        <span class="track" title={moment(row.at)}>
          <i class="seg-stream" style={{ left: `${left.toFixed(2)}%`, width: `${width.toFixed(2)}%` }} />
        </span>
        <span class="num nowrap">{duration(row.latency)}</span>
        <span class="num nowrap trace-tokens">
          <Tokens row={row} />
        </span>
        <span class="num nowrap" title={row.cost ?? undefined}>
          <Cost {...row} />
        </span>
      </a>
    </li>
  );
}
