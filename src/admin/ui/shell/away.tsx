import { useEffect } from 'preact/hooks';
import { get } from '../browser/api.ts';
import { awaySince } from '../browser/away.ts';
import { clock } from '../browser/format.ts';
import { awayMs } from '../browser/load.ts';
import { Icon } from '../components/icon.tsx';

/** What is on the page may be old: whoever reads it must know. It lies over the page, so that nothing moves. */
export function Away() {
  const since = awaySince.value;
  const isAway = since !== undefined;
  useEffect(() => {
    if (!isAway) return undefined;
    // A page that asks for nothing by itself would never learn that the gateway is back.
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
