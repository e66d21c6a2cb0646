import { useState } from 'preact/hooks';
import { bytes, count, duration } from '../../../browser/format.ts';
import { Button } from '../../../components/button.tsx';
import { maxEvents, type StreamEvent } from './events.ts';

const shownAtOnce = 200;

/** Each event with its time and the preceding pause. Long pauses are marked with a word, not only with a colour. */
export function EventList({ events }: { events: readonly StreamEvent[] }) {
  const [shown, setShown] = useState(shownAtOnce);
  return (
    <div class="stack tight">
      <ol class="events">
        {events.slice(0, shown).map(({ name, data, at, size }, i) => {
          const before = events[i - 1]?.at ?? null;
          const pause = at === null || before === null ? null : at - before;
          return (
            <li key={i}>
              <span class="muted small num nowrap">{at === null ? `${i + 1}` : duration(at)}</span>
              <span class="muted small num nowrap">
                {pause === null ? '' : pause >= 1000 ? `pause ${duration(pause)}` : `+${duration(Math.round(pause * 10) / 10)}`}
              </span>
              <span class="event-text">
                {name !== null && <strong>{name} </strong>}
                <code>{data.length > 2000 ? `${data.slice(0, 2000)} …` : data}</code>
              </span>
              <span class="muted small num nowrap">{bytes(size)}</span>
            </li>
          );
        })}
      </ol>
      {events.length > shown && (
        <div>
          <Button onClick={() => setShown(shown + 1000)}>Show more of {count(events.length)} events</Button>
        </div>
      )}
      {events.length >= maxEvents && <p class="muted small">The first {count(maxEvents)} events are listed; Raw has all of them.</p>}
    </div>
  );
}
