import type { Stats } from '../../../../core/logs/reader.ts';
import { clock, day } from '../../browser/format.ts';
import type { Loaded } from '../../browser/load.ts';
import { Notice } from '../../components/surface.tsx';

/** Shown if reading the whole range takes too long. */
export function PartlyCounted({ calls }: { calls: readonly Loaded<Stats>[] }) {
  const parts = calls.flatMap(({ data }) => (data === undefined || data.uncounted_since === null ? [] : [data]));
  if (parts.length === 0) return null;
  const since = Math.max(...parts.map((part) => part.since));
  return (
    <Notice tone="warn" title={`Some figures count only the requests since ${day(since)} ${clock(since)}`}>
      <p>The older ones take too long to read. Choose a shorter range.</p>
    </Notice>
  );
}
