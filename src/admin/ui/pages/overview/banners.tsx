import type { Status } from '../../../api-types.ts';
import { get } from '../../browser/api.ts';
import { count } from '../../browser/format.ts';
import { useLoad } from '../../browser/load.ts';
import { Ago } from '../../components/display.tsx';
import { Notice } from '../../components/surface.tsx';

/** Refresh interval in milliseconds, short enough to see the result after a file was saved. */
const every = 1000;

/** Conditions that need attention: a failed reload, an older active revision, a store with problems. */
export function Banners() {
  const status = useLoad((signal) => get<Status>('/api/status', {}, signal), [], every);
  return status.data === undefined ? null : <Shown status={status.data} />;
}

function Shown({ status }: { status: Status }) {
  const { last_reload: reload, rolled_back_to: older, restart_needed: restart, store, draining } = status;
  const errors = reload?.diagnostics.filter(({ level }) => level === 'error') ?? [];
  return (
    <>
      {reload?.result === 'rejected' && (
        <Notice tone="bad" title={`The last reload failed; revision ${status.revision} stays active`}>
          {reload.reason !== null && <p>{reload.reason}</p>}
          <ul class="stack tight">
            {errors.slice(0, 3).map((entry, i) => (
              <li key={i}>
                <code>
                  {entry.file}:{entry.line}:{entry.column}
                </code>{' '}
                {entry.message}
                {entry.hint !== null && <span class="muted"> {entry.hint}</span>}
              </li>
            ))}
          </ul>
          <p>
            <Ago at={reload.at} />
            {reload.errors > 3 && ` · ${count(reload.errors)} errors`} · <a href="/system">Show all on System</a>
          </p>
        </Notice>
      )}
      {older !== null && (
        <Notice tone="warn" title={`Rolled back to revision ${older}`}>
          <p>
            The files contain another revision. <a href="/system">Compare on System</a>
          </p>
        </Notice>
      )}
      {restart.length > 0 && <Notice tone="warn" title={`A restart is needed for ${restart.join(', ')}`} />}
      {draining && <Notice tone="warn" title="The gateway is stopping: running requests are completed" />}
      {store.problems.map((problem) => (
        <Notice key={problem} tone="warn" title={problem} />
      ))}
    </>
  );
}
