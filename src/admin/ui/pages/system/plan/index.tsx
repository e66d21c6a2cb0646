import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { EffectiveConfig, PlanResult, ShownDiagnostic } from '../../../../api-types.ts';
import { get, post } from '../../../browser/api.ts';
import { type Loaded, useLoad } from '../../../browser/load.ts';
import { Button } from '../../../components/button.tsx';
import { Code } from '../../../components/code.tsx';
import { Badge, Empty, Tag } from '../../../components/display.tsx';
import { SelectField } from '../../../components/form.tsx';
import { LoadedView, Notice, Panel, Problem } from '../../../components/surface.tsx';
import { Diagnostics, summaryOf } from '../../../parts/diagnostics.tsx';
import { drafts, setDrafts } from './drafts.ts';
import { Editor, placeCaret } from './editor.tsx';

/** Milliseconds without a key after which the text is checked. */
const pauseMs = 450;

/** Shows what would change if these texts were saved. Nothing is written or activated. */
export function Plan({ revision }: { revision: string }) {
  const loaded = useLoad((abort) => get<EffectiveConfig>('/api/config', { limit: 0, text_of: 'all' }, abort), [revision]);
  return (
    <LoadedView loaded={loaded} lines={14}>
      {({ files, revision: serves }) =>
        files.length === 0 ? (
          <Empty icon="system" title="No configuration file">
            <p>
              The gateway runs without a file. Write one with <code>gateway init</code>, start with it, and plan changes to it here.
            </p>
          </Empty>
        ) : (
          <Workbench files={files} revision={serves} />
        )
      }
    </LoadedView>
  );
}

function Workbench({ files, revision }: Pick<EffectiveConfig, 'files' | 'revision'>) {
  const [chosen, setPath] = useState(files[0]?.path ?? '');
  const path = (files.find((file) => file.path === chosen) ?? files[0])?.path ?? '';
  const area = useRef<HTMLTextAreaElement>(null);
  const [caretTarget, setCaretTarget] = useState<ShownDiagnostic>();
  const saved = files.find((file) => file.path === path)?.text ?? '';
  const text = drafts.value[path] ?? saved;
  const plan = usePlan(files, revision);
  const fileDiagnostics = plan.data?.diagnostics.filter(({ file }) => file === path) ?? [];
  const changed = files.filter((file) => drafts.value[file.path] !== undefined && drafts.value[file.path] !== file.text);
  // Only once, and before another element can take the focus. Switching files does not move the caret again.
  useLayoutEffect(() => {
    if (caretTarget === undefined || caretTarget.file !== path) return;
    placeCaret(area.current, caretTarget.line, caretTarget.column);
    setCaretTarget(undefined);
  }, [caretTarget, path]);
  const write = (next: string): void => {
    // A text area uses LF as line end. Without this, each line of a file with other line ends would be a change.
    setDrafts({ ...drafts.value, [path]: saved.includes('\r\n') ? next.replaceAll('\n', '\r\n') : next });
  };
  const jump = (entry: ShownDiagnostic): void => {
    if (files.some((file) => file.path === entry.file)) setPath(entry.file);
    setCaretTarget({ ...entry });
  };
  return (
    <div class="halves uneven">
      <Panel
        title="Text"
        aside={
          <Button small disabled={changed.length === 0} onClick={() => setDrafts({})}>
            Restore the active configuration
          </Button>
        }
      >
        <div class="stack tight">
          <SelectField
            label="File"
            value={path}
            onInput={setPath}
            options={files.map((file) => [file.path, changed.includes(file) ? `${file.path} (changed)` : file.path])}
            hint="Nothing is saved here: to apply the change, copy the text into the file. Secrets in the file are masked."
          />
          <Editor
            label={`Text of ${path}`}
            text={text.replaceAll('\r\n', '\n')}
            diagnostics={fileDiagnostics}
            onInput={write}
            areaRef={area}
          />
        </div>
      </Panel>
      <Outcome plan={plan} isUnchanged={changed.length === 0} onLocation={jump} />
    </div>
  );
}

/** Computes the plan of all drafts against a revision, shortly after the last key. A draft may be of a file that is no longer used. */
function usePlan(files: EffectiveConfig['files'], revision: string): Loaded<PlanResult> {
  const [settled, setSettled] = useState(drafts.value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(drafts.value), pauseMs);
    return () => clearTimeout(timer);
  }, [drafts.value]);
  const sent = Object.fromEntries(Object.entries(settled).filter(([path]) => files.some((file) => file.path === path)));
  return useLoad((abort) => post<PlanResult>('/api/plan', { files: sent }, abort), [JSON.stringify(sent), revision]);
}

function Outcome({
  plan,
  isUnchanged,
  onLocation,
}: {
  plan: Loaded<PlanResult>;
  isUnchanged: boolean;
  onLocation: (entry: ShownDiagnostic) => void;
}) {
  const { data, error, reload } = plan;
  return (
    <Panel
      title="Plan"
      aside={
        <span role="status">
          {data !== undefined && <Badge tone={data.ok ? (data.diagnostics.length > 0 ? 'warn' : 'ok') : 'bad'}>{summaryOf(data)}</Badge>}
        </span>
      }
    >
      <div class="stack">
        {error !== undefined && <Problem error={error} onRetry={reload} />}
        {data !== undefined && (
          <>
            {data.diagnostics.length > 0 && <Diagnostics found={data} onLocation={onLocation} />}
            <Changes data={data} isUnchanged={isUnchanged} />
          </>
        )}
      </div>
    </Panel>
  );
}

function Changes({ data, isUnchanged }: { data: PlanResult; isUnchanged: boolean }) {
  if (!data.ok) return <Notice tone="bad" title="These files would be rejected: the active configuration would stay" />;
  if (isUnchanged) return <p class="muted">This is the active configuration. Edit it to see here what a change would do.</p>;
  return (
    <>
      {data.changes.length === 0 ? (
        <p class="muted">This text changes nothing.</p>
      ) : (
        <div class="stack tight">
          <h3>Changes when it is saved</h3>
          <ul class="stack tight">
            {data.changes.map((change) => (
              <li key={change}>
                <Tag>{change}</Tag>
              </li>
            ))}
          </ul>
        </div>
      )}
      {data.restart_needed.length > 0 && <Notice tone="warn" title={`A restart is needed for ${data.restart_needed.join(', ')}`} />}
      {data.diff !== '' && <Code text={data.diff} language="diff" what="difference" />}
    </>
  );
}
