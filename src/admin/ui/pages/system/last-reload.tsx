import type { ShownDiagnostic, Status } from '../../../api-types.ts';
import { Ago, Badge } from '../../components/display.tsx';
import { Notice, Panel } from '../../components/surface.tsx';
import { Diagnostics, summaryOf } from '../../parts/diagnostics.tsx';

/** Errors first. */
const rankOf = ({ level }: ShownDiagnostic): number => (level === 'error' ? 0 : 1);

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
          <Ago at={at} /> · {summaryOf(diagnostics)}. Requests are served as before. After you fix the file, it is loaded automatically.
        </p>
        <Diagnostics list={diagnostics.toSorted((one, other) => rankOf(one) - rankOf(other))} />
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
      {diagnostics.length > 0 && <Diagnostics list={diagnostics} />}
    </Panel>
  );
}
