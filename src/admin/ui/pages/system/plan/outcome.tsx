import type { ConfigFiles, PlanResult, ShownDiagnostic } from '../../../../api-types.ts';
import type { Difference } from '../../../../../core/logs/explanation.ts';
import { count } from '../../../browser/format.ts';
import type { Loaded } from '../../../browser/load.ts';
import { Code } from '../../../components/code.tsx';
import { Differences } from '../../../components/difference.tsx';
import { Badge } from '../../../components/display.tsx';
import { Notice, Panel, Problem } from '../../../components/surface.tsx';
import { Diagnostics, summaryOf } from '../../../parts/diagnostics.tsx';

interface OutcomeProps {
  readonly active: ConfigFiles;
  readonly plan: Loaded<PlanResult | undefined>;
  /** True if the texts are those of the active configuration. */
  readonly isUnchanged: boolean;
  readonly onLocation: (entry: ShownDiagnostic) => void;
}

/** Problems of the texts, and what saving them would change. */
export function Outcome({ active, plan, isUnchanged, onLocation }: OutcomeProps) {
  const { data, error, reload } = plan;
  const found = isUnchanged ? active : data;
  const tone = found === undefined || found.errors > 0 ? 'bad' : found.warnings > 0 ? 'warn' : 'ok';
  return (
    <Panel title="Plan" aside={<span role="status">{found !== undefined && <Badge tone={tone}>{summaryOf(found)}</Badge>}</span>}>
      <div class="stack">
        {error !== undefined && <Problem error={error} onRetry={reload} />}
        {found !== undefined && found.diagnostics.length > 0 && <Diagnostics found={found} onLocation={onLocation} />}
        {isUnchanged ? (
          <p class="muted">This is the active configuration. Edit it to see here what a change would do.</p>
        ) : (
          data !== undefined && <Changes data={data} />
        )}
      </div>
    </Panel>
  );
}

const maxChanges = 200;

function Changes({ data: { ok, values, restart_needed: restart, diff } }: { data: PlanResult }) {
  if (!ok) return <Notice tone="bad" title="These files would be rejected: the active configuration would stay" />;
  return (
    <>
      {values.length === 0 ? (
        <p class="muted">This text changes nothing.</p>
      ) : (
        <div class="stack tight">
          <h3>Changes when it is saved</h3>
          <Differences list={values.slice(0, maxChanges).map(differenceOf)} />
          {values.length > maxChanges && <p class="muted">… and {count(values.length - maxChanges)} more.</p>}
        </div>
      )}
      {restart.length > 0 && <Notice tone="warn" title={`A restart is needed for ${restart.join(', ')}`} />}
      {diff !== '' && <Code text={diff} language="diff" what="difference" />}
    </>
  );
}

function differenceOf({ path, before, after }: PlanResult['values'][number]): Difference {
  if (before === after) return { path, kind: 'changed', cause: 'value not shown', at: null };
  return {
    path,
    kind: before === null ? 'added' : after === null ? 'removed' : 'changed',
    before: before ?? undefined,
    after: after ?? undefined,
    cause: '',
    at: null,
  };
}
