import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ConfigFiles, PlanResult, ShownDiagnostic } from '../../../../api-types.ts';
import { get, post } from '../../../browser/api.ts';
import { type Loaded, useLoad } from '../../../browser/load.ts';
import { Button } from '../../../components/button.tsx';
import { Empty, Loading } from '../../../components/display.tsx';
import { SelectField } from '../../../components/form.tsx';
import { LoadedView, Panel, Problems } from '../../../components/surface.tsx';
import { drafts, setDrafts } from './drafts.ts';
import { Editor, placeCaret } from './editor.tsx';
import { Outcome } from './outcome.tsx';

/** Milliseconds without a key after which the text is checked. */
const pauseMs = 450;

/** Shows what would change if these texts were saved. Nothing is written or activated. */
export function Plan({ revision }: { revision: string }) {
  const loaded = useLoad((abort) => get<ConfigFiles>('/api/config/files', {}, abort), [revision]);
  return (
    <LoadedView loaded={loaded} lines={14}>
      {(active) =>
        active.files.length === 0 ? (
          <Empty icon="system" title="No configuration file">
            <p>
              The gateway runs without a file. Write one with <code>gateway init</code>, start with it, and plan changes to it here.
            </p>
          </Empty>
        ) : (
          <Workbench active={active} />
        )
      }
    </LoadedView>
  );
}

function Workbench({ active }: { active: ConfigFiles }) {
  const paths = active.files.map((file) => file.path);
  const [chosen, setPath] = useState(paths[0] ?? '');
  const path = paths.includes(chosen) ? chosen : (paths[0] ?? '');
  const area = useRef<HTMLTextAreaElement>(null);
  const [caretTarget, setCaretTarget] = useState<ShownDiagnostic>();
  // A draft may be of a file that is no longer used.
  const drafted = paths.filter((one) => drafts.value[one] !== undefined);
  const texts = useTexts([...new Set([path, ...drafted])], active.revision);
  const saved = texts.data?.[path];
  const text = saved === undefined ? undefined : (drafts.value[path] ?? saved);
  const changed = drafted.filter((one) => drafts.value[one] !== texts.data?.[one]);
  const plan = usePlan(paths, active.revision);
  const found = changed.length === 0 ? active : plan.data;
  // Only once, and before another element can take the focus. Switching files does not move the caret again.
  useLayoutEffect(() => {
    if (caretTarget === undefined || caretTarget.file !== path || text === undefined) return;
    placeCaret(area.current, caretTarget.line, caretTarget.column);
    setCaretTarget(undefined);
  }, [caretTarget, path, text]);
  const write = (next: string): void => {
    // A text area uses LF as line end. Without this, each line of a file with other line ends would be a change.
    setDrafts({ ...drafts.value, [path]: saved?.includes('\r\n') === true ? next.replaceAll('\n', '\r\n') : next });
  };
  const jump = (entry: ShownDiagnostic): void => {
    if (paths.includes(entry.file)) setPath(entry.file);
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
            options={paths.map((one) => [one, changed.includes(one) ? `${one} (changed)` : one])}
            hint="Nothing is saved here: to apply the change, copy the text into the file. Secrets in the file are masked."
          />
          <Problems calls={[texts]} />
          {text !== undefined ? (
            <Editor
              label={`Text of ${path}`}
              text={text.replaceAll('\r\n', '\n')}
              diagnostics={found?.diagnostics.filter(({ file }) => file === path) ?? []}
              onInput={write}
              areaRef={area}
            />
          ) : (
            texts.error === undefined && <Loading lines={14} />
          )}
        </div>
      </Panel>
      <Outcome active={active} plan={plan} isUnchanged={changed.length === 0} onLocation={jump} />
    </div>
  );
}

/** The active texts of some files, by path. */
const useTexts = (paths: readonly string[], revision: string): Loaded<Readonly<Record<string, string | undefined>>> =>
  useLoad(
    async (abort) => {
      const textOf = async (path: string): Promise<string | undefined> => {
        const { files } = await get<ConfigFiles>('/api/config/files', { text_of: path }, abort);
        return files.find((file) => file.path === path)?.text ?? undefined;
      };
      return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await textOf(path)] as const)));
    },
    [paths.toSorted().join('\n'), revision],
  );

/** Computes the plan of all drafts against a revision, shortly after the last key. Undefined without a draft. */
function usePlan(paths: readonly string[], revision: string): Loaded<PlanResult | undefined> {
  const [settled, setSettled] = useState(drafts.value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(drafts.value), pauseMs);
    return () => clearTimeout(timer);
  }, [drafts.value]);
  const sent = Object.fromEntries(Object.entries(settled).filter(([path]) => paths.includes(path)));
  const isEmpty = Object.keys(sent).length === 0;
  return useLoad(
    async (abort) => (isEmpty ? undefined : post<PlanResult>('/api/plan', { files: sent }, abort)),
    [JSON.stringify(sent), revision],
  );
}
