import { useEffect } from 'preact/hooks';
import { get } from '../browser/api.ts';
import { awaySince } from '../browser/away.ts';
import { clock } from '../browser/format.ts';
import { awayMs } from '../browser/load.ts';
import { Icon } from '../components/icon.tsx';

/** A notice that the page may show old data. It overlays the page, so that the layout does not shift. */
export function Away() {
  const since = awaySince.value;
  const isAway = since !== undefined;
  useEffect(() => {
    if (!isAway) return undefined;
    // A page that makes no calls would not notice that the gateway is reachable again.
    const timer = setInterval(() => void get('/api/session').catch(() => undefined), awayMs);
    return () => clearInterval(timer);
  }, [isAway]);
  return (
    <div class="away" role="status">
      {since !== undefined && (
        <p class="toast">
          <Icon name="warn" />
          <span>
            <strong>No connection to the gateway since {clock(since)}.</strong> What you see is older.
          </span>
        </p>
      )}
    </div>
  );
}
