import type { Status } from '../../../api-types.ts';
import { Ago, Badge } from '../../components/display.tsx';
import { Notice, Panel } from '../../components/surface.tsx';
import { Diagnostics, summaryOf } from '../../parts/diagnostics.tsx';

/** The last reload in red with all problems, as long as the files are invalid. */
export function LastReload({ status }: { status: Status }) {
  const { last_reload: last, revision } = status;
  if (last === null) return null;
  const { result, at, diagnostics, reason } = last;
  if (result === 'rejected')
    return (
      <Notice tone="bad" title={`The last reload failed; revision ${revision} stays active`}>
        {reason !== null && <p>{reason}</p>}
        <p>
          <Ago at={at} /> · {summaryOf(last)}. Requests are served as before. After you fix the file, it is loaded automatically.
        </p>
        <Diagnostics found={last} />
      </Notice>
    );
  return (
    <Panel
      title="Last reload"
      aside={
        <span class="row">
          <Badge tone="ok">{result === 'applied' ? 'applied' : 'nothing changed'}</Badge>
          <Ago at={at} />
        </span>
      }
      flush={diagnostics.length === 0}
    >
      {diagnostics.length > 0 && <Diagnostics found={last} />}
    </Panel>
  );
}
