import { useState } from 'preact/hooks';
import type { ReloadVerdict, RevisionView } from '../../../api-types.ts';
import { get, post } from '../../browser/api.ts';
import { moment } from '../../browser/format.ts';
import { useLoad } from '../../browser/load.ts';
import { notify } from '../../browser/notify.ts';
import { hasRole } from '../../browser/session.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Ago, Badge, Empty, Tag } from '../../components/display.tsx';
import { LoadedView, Panel } from '../../components/surface.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useAction } from '../../parts/use-action.ts';
import { verdictText } from './verdict.ts';

/** Revisions with their times and differences, and a button for rollback. */
export function Revisions({ onChange }: { onChange: () => void }) {
  const loaded = useLoad((signal) => get<readonly RevisionView[]>('/api/revisions', {}, signal), [], 15_000);
  const [rollbackTarget, setRollbackTarget] = useState<RevisionView>();
  const rollback = useAction<ReloadVerdict>((verdict) => {
    setRollbackTarget(undefined);
    notify(verdictText(verdict), verdict.result === 'rejected' ? 'bad' : 'ok');
    loaded.reload();
    onChange();
  });
  return (
    <>
      <LoadedView loaded={loaded} lines={10}>
        {(revisions) =>
          revisions.length === 0 ? (
            <Empty icon="time" title="No revisions yet">
              <p>Every configuration that has been active is stored here with its files, so that you can see what changed and roll back.</p>
            </Empty>
          ) : (
            <ol class="stack tight">
              {revisions.map((entry, i) => (
                <Revision
                  key={`${entry.revision} ${entry.applied_at}`}
                  entry={entry}
                  first={i === revisions.length - 1}
                  onRollback={revisions.some((one) => one.serves && one.revision === entry.revision) ? undefined : setRollbackTarget}
                />
              ))}
            </ol>
          )
        }
      </LoadedView>
      {rollbackTarget !== undefined && (
        <Confirm
          title={`Roll back to revision ${rollbackTarget.revision}`}
          verb="Roll back"
          busy={rollback.busy}
          error={rollback.error}
          onClose={() => setRollbackTarget(undefined)}
          onConfirm={() => rollback.run((signal) => post('/api/rollback', { revision: rollbackTarget.revision }, signal))}
        >
          <p>
            New requests are served as of {moment(rollbackTarget.applied_at)}; running requests are completed with the configuration that
            they began with. No file is changed: saving a file, or Reload, activates the files again.
          </p>
        </Confirm>
      )}
    </>
  );
}

interface RevisionProps {
  readonly entry: RevisionView;
  /** The oldest stored revision, which cannot be compared with an earlier one. */
  readonly first: boolean;
  /** Undefined if the revision is already active. */
  readonly onRollback: ((entry: RevisionView) => void) | undefined;
}

const maxChanges = 12;

function Revision({ entry, first, onRollback }: RevisionProps) {
  const { revision, applied_at: at, serves, files, changes, diff } = entry;
  const [open, setOpen] = useState(false);
  return (
    <li>
      <Panel
        title={
          <span class="row">
            <code class="break">{revision}</code>
            {serves && (
              <Badge tone="ok" filled>
                active
              </Badge>
            )}
          </span>
        }
        aside={
          <>
            <span class="muted small">
              applied <Ago at={at} />
            </span>
            {onRollback !== undefined && hasRole('admin') && (
              <Button small onClick={() => onRollback(entry)} label={`Roll back to revision ${revision}`}>
                Roll back…
              </Button>
            )}
          </>
        }
      >
        <div class="stack tight">
          {changes.length > 0 && (
            <div class="row">
              {changes.slice(0, maxChanges).map((change) => (
                <Tag key={change}>{change}</Tag>
              ))}
              {changes.length > maxChanges && <span class="muted small">and {changes.length - maxChanges} more</span>}
            </div>
          )}
          <ul class="file-times">
            {files.map(({ path, modified_at: written }) => (
              <li key={path}>
                <code class="break">{path}</code>
                <span class="muted">written {moment(written).slice(0, -4)}</span>
              </li>
            ))}
          </ul>
          {diff === '' ? (
            <p class="muted small">{first ? 'The oldest stored revision.' : 'The files are the same as in the previous revision.'}</p>
          ) : (
            <div>
              <Button small icon={open ? 'up' : 'down'} expanded={open} onClick={() => setOpen(!open)}>
                {first ? 'Text' : 'Diff from the previous revision'}
              </Button>
            </div>
          )}
          {open && <Code text={diff} language="diff" what={`difference of ${revision}`} />}
        </div>
      </Panel>
    </li>
  );
}
