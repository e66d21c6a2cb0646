import { useEffect } from 'preact/hooks';
import { get } from '../browser/api.ts';
import { unreachableSince } from '../browser/gateway-state.ts';
import { clock } from '../browser/format.ts';
import { unreachableRetryMs } from '../browser/load.ts';
import { Icon } from '../components/icon.tsx';

/** A notice that the page may show old data. It overlays the page, so that the layout does not shift. */
export function UnreachableNotice() {
  const since = unreachableSince.value;
  const isUnreachable = since !== undefined;
  useEffect(() => {
    if (!isUnreachable) return undefined;
    // A page that makes no calls would not notice that the gateway is reachable again.
    const timer = setInterval(() => void get('/api/session').catch(() => undefined), unreachableRetryMs);
    return () => clearInterval(timer);
  }, [isUnreachable]);
  return (
    <div class="unreachable-notice" role="status">
      {since !== undefined && (
        <p class="toast">
          <Icon name="warn" />
          <span>
            <strong>No connection to the gateway since {clock(since)}.</strong> The page may show old data.
          </span>
        </p>
      )}
    </div>
  );
}
