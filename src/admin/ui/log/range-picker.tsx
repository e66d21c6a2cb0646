import { useState } from 'preact/hooks';
import { gatewayNow } from '../browser/gateway-state.ts';
import { clock, day, isRepeated, offset, zone } from '../browser/format.ts';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/form.tsx';
import { Popover } from '../components/popover.tsx';
import { boundsOf, fixedRange, type TimeRange } from './terms.ts';

const presets: readonly (readonly [TimeRange, string])[] = [
  ['15m', 'Last 15 minutes'],
  ['1h', 'Last hour'],
  ['6h', 'Last 6 hours'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['all', 'All time'],
];

function nameOf(range: TimeRange): string {
  const known = presets.find(([id]) => id === range)?.[1];
  const bounds = known === undefined && range.includes('/') ? boundsOf(range, 0) : undefined;
  if (bounds === undefined) return known ?? `Last ${range}`;
  const { since, until } = bounds;
  const isOneDay = day(since) === day(until);
  const time = (at: number): string => (isRepeated(at) ? `${clock(at)} ${zone(at)}` : clock(at));
  return `${day(since).slice(5)} ${time(since)} – ${isOneDay ? '' : `${day(until).slice(5)} `}${time(until)}`;
}

/** `2026-11-22T09:31:07`, with the UTC offset only if the clock shows this time twice. */
const local = (at: number): string => `${day(at)}T${clock(at)}${isRepeated(at) ? offset(at) : ''}`;

/** A date without a time would be parsed as UTC. */
const timeIn = (text: string): number => Date.parse(/^\s*\d{4}-\d\d-\d\d\s*$/.test(text) ? `${text.trim()}T00:00` : text);

interface RangePickerProps {
  readonly range: TimeRange;
  readonly onRange: (range: TimeRange) => void;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  /** True if the filter contains times. They take precedence. */
  readonly overruled?: boolean;
  readonly withAll?: boolean;
}

export function RangePicker({ range, onRange, open, onOpen, overruled = false, withAll = true }: RangePickerProps) {
  const choose = (next: TimeRange): void => {
    onRange(next);
    onOpen(false);
  };
  return (
    <Popover
      open={open}
      onClose={() => onOpen(false)}
      label="Time range"
      button={
        <Button icon="time" shortcut="t" label="Time range" expanded={open} onClick={() => onOpen(!open)}>
          {overruled ? 'Time of the filter' : nameOf(range)}
        </Button>
      }
    >
      <div class="stack">
        <div class="menu">
          {presets
            .filter(([id]) => withAll || id !== 'all')
            .map(([id, name]) => (
              <button key={id} type="button" aria-pressed={id === range} onClick={() => choose(id)}>
                {name}
              </button>
            ))}
        </div>
        <CustomRange range={range} onRange={choose} />
      </div>
    </Popover>
  );
}

/** Two times. Their initial values are those of the displayed range. */
function CustomRange({ range, onRange }: Pick<RangePickerProps, 'range' | 'onRange'>) {
  const bounds = boundsOf(range, gatewayNow());
  const [since, setSince] = useState(local(bounds?.since ?? gatewayNow() - 3_600_000));
  const [until, setUntil] = useState(local(bounds?.until ?? gatewayNow()));
  const [from, to] = [timeIn(since), timeIn(until)];
  const isValid = !Number.isNaN(from) && !Number.isNaN(to) && from < to;
  return (
    <form
      class="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid) onRange(fixedRange(from, to));
      }}
    >
      <TextField label="From" value={since} onInput={setSince} placeholder="2026-11-22T09:31" />
      <TextField
        label="To"
        value={until}
        onInput={setUntil}
        problem={isValid ? null : 'From must be before To, and both like 2026-11-22T09:31'}
        hint={`Times of this browser: ${zone(Number.isNaN(to) ? gatewayNow() : to)}`}
      />
      <Button type="submit" disabled={!isValid}>
        Show this range
      </Button>
    </form>
  );
}
