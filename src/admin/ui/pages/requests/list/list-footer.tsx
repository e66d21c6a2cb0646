import { count, plural } from '../../../browser/format.ts';
import { useDelayedTrue } from '../../../browser/use-delayed-true.ts';
import { Button } from '../../../components/button.tsx';
import { Empty, Loading } from '../../../components/display.tsx';
import type { TimeRange } from '../../../log/terms.ts';
import { maxRows, type Rows } from './use-rows.ts';

interface FootProps {
  readonly rows: Rows;
  readonly isValid: boolean;
  readonly filter: string;
  readonly range: TimeRange;
  readonly onRange: (range: TimeRange) => void;
  readonly onFilter: (filter: string) => void;
}

/** Content below the last row: loading, end of the list, or the reason why it is empty. */
export function ListFooter({ rows, isValid, filter, range, onRange, onFilter }: FootProps) {
  const { rows: list, next, loading, error } = rows;
  // Not for each call that is repeated after an error.
  const isWaiting = useDelayedTrue(loading);
  if (list.length === 0 && !isValid)
    return (
      <Empty icon="search" title="This filter does not parse">
        <p>The error is shown below the field. The search starts once it is corrected.</p>
        <Button onClick={() => onFilter('')}>Clear the filter</Button>
      </Empty>
    );
  if (list.length === 0 && (isWaiting || (loading && error === undefined))) return <Loading lines={10} height="1.25rem" />;
  if (list.length === 0 && error !== undefined) return null;
  if (list.length === 0)
    return (
      <Empty icon="search" title={filter === '' ? 'No requests in this range' : 'No request matches'}>
        <p>
          {filter === ''
            ? 'Choose a longer time range to see older requests.'
            : 'The filter is valid, but no request in this time range matches it.'}
        </p>
        <div class="row">
          {range !== 'all' && <Button onClick={() => onRange('all')}>Search all time</Button>}
          {filter !== '' && <Button onClick={() => onFilter('')}>Clear the filter</Button>}
        </div>
      </Empty>
    );
  if (list.length >= maxRows)
    return <p class="muted small">The newest {count(maxRows)} rows are loaded. For older ones, choose a time range or a filter.</p>;
  if (next === null) return <p class="muted small">End of the list: {plural(list.length, 'request')}.</p>;
  return <p class="muted small">{loading ? 'Loading…' : ' '}</p>;
}
