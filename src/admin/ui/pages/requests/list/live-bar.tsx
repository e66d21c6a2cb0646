import { count } from '../../../browser/format.ts';
import { Button } from '../../../components/button.tsx';
import { Icon } from '../../../components/icon.tsx';
import type { Live } from './use-live.ts';
import type { Rows } from './use-rows.ts';

interface LiveBarProps {
  readonly live: Live;
  readonly flows: boolean;
  readonly rows: Pick<Rows, 'isOld' | 'error'>;
  readonly onShow: () => void;
}

/** Number of waiting and omitted rows, and a notice about a slow search. It overlays the list, so that the layout does not shift. */
export function LiveBar({ live, flows, rows, onShow }: LiveBarProps) {
  const { waiting, skipped, hasGap, state, reason } = live;
  return (
    <div class="live-bar" role="status" aria-live="polite">
      {waiting > 0 && !flows && (
        <button type="button" class="pill" onClick={onShow}>
          <Icon name="up" />
          {count(waiting)} new
        </button>
      )}
      {skipped > 0 && (
        <span class="pill plain">
          A sample: {count(skipped)} not shown
          <Button small kind="quiet" onClick={live.loadAll}>
            Load all
          </Button>
        </span>
      )}
      {hasGap && skipped === 0 && (
        <span class="pill plain">
          Some rows may be missing
          <Button small kind="quiet" onClick={live.loadAll}>
            Load all
          </Button>
        </span>
      )}
      {rows.isOld && <span class="pill plain">Searching…</span>}
      {state === 'lost' && rows.error === undefined && (
        <span class="pill plain">{reason === undefined ? 'Live rows are interrupted, reconnecting…' : `No live rows. ${reason}`}</span>
      )}
    </div>
  );
}
