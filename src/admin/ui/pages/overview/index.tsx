import { useMemo, useState } from 'preact/hooks';
import type { Status } from '../../../api-types.ts';
import type { Stats } from '../../../../core/logs/reader.ts';
import { get } from '../../browser/api.ts';
import { gatewayNow } from '../../browser/gateway-state.ts';
import { useLoad } from '../../browser/load.ts';
import { parameters, setParameters } from '../../browser/route.ts';
import { useShortcuts } from '../../browser/shortcuts.ts';
import { Loading } from '../../components/display.tsx';
import { Page } from '../../components/page.tsx';
import { Problems } from '../../components/surface.tsx';
import { LogSwitchedOff } from '../../log/log-switched-off.tsx';
import { RangePicker } from '../../log/range-picker.tsx';
import { boundsOf, isRange, rangeTerms, stepFor } from '../../log/terms.ts';
import { Banners } from './banners.tsx';
import { Charts, dimensions } from './charts.tsx';
import { Figures } from './figures.tsx';
import { FirstRequest } from './first-request.tsx';
import { PartlyCounted } from './partly-counted.tsx';
import { Providers } from './providers.tsx';

/** Refresh interval in milliseconds while the page is visible. */
const every = 10_000;

export function Overview() {
  const requestedRange = parameters.value.get('range');
  const range = isRange(requestedRange) && requestedRange !== 'all' ? requestedRange : '1h';
  const [isOpen, setOpen] = useState(false);
  const by = dimensions.find(([id]) => id === parameters.value.get('by'))?.[0] ?? 'model';
  useShortcuts([{ keys: 't', does: 'choose the time range', group: 'Overview', run: () => setOpen(true) }]);
  const step = useMemo(() => {
    const { since, until } = boundsOf(range, gatewayNow()) ?? { since: 0, until: 3_600_000 };
    return stepFor(until - since);
  }, [range]);
  const q = rangeTerms(range);
  const status = useLoad((signal) => get<Status>('/api/status', {}, signal), [], every);
  const stats = useLoad((signal) => get<Stats>('/api/stats', { q, by: 'status', step }, signal), [q, step], every);
  // One group are the requests with a single attempt.
  const reasons = useLoad((signal) => get<Stats>('/api/stats', { q, by: 'reason', step, top: 7 }, signal), [q, step], every);
  const groups = useLoad((signal) => get<Stats>('/api/stats', { q, by, step, top: 6 }, signal), [q, step, by], every);
  // Both are rendered together, so that the second one causes no layout shift.
  const isFirst = [status, stats].some(({ data, error }) => data === undefined && error === undefined);
  const isOff = status.data?.store.kind === 'off';
  const isEmpty = status.data?.store.records === 0 && stats.data?.total.requests === 0;
  return (
    <Page
      title="Overview"
      aside={
        !isOff && (
          <RangePicker
            range={range}
            withAll={false}
            open={isOpen}
            onOpen={setOpen}
            onRange={(next) => setParameters({ range: next === '1h' ? undefined : next })}
          />
        )
      }
    >
      <Banners />
      {isFirst ? (
        <Loading lines={12} height="2.5rem" />
      ) : isOff ? (
        <>
          <LogSwitchedOff />
          {status.data !== undefined && <Providers status={status.data} />}
        </>
      ) : isEmpty && status.data !== undefined ? (
        <FirstRequest
          status={status.data}
          isLoading={status.loading || stats.loading}
          onFirst={() => [status, stats].forEach(({ reload }) => reload())}
        />
      ) : (
        <>
          <Problems calls={[stats, status, reasons, groups]} />
          <PartlyCounted calls={[stats, reasons, groups]} />
          {stats.data !== undefined && <Figures stats={stats.data} range={range} />}
          {status.data !== undefined && <Providers status={status.data} />}
          {stats.data !== undefined && (
            <Charts
              stats={stats.data}
              reasons={reasons}
              groups={groups}
              by={by}
              onBy={(next) => setParameters({ by: next === 'model' ? undefined : next }, { replace: true })}
              range={range}
            />
          )}
        </>
      )}
    </Page>
  );
}
