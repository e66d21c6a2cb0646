import { useEffect, useState } from 'preact/hooks';
import type { ConfigFiles, EffectiveConfig } from '../../../api-types.ts';
import { get } from '../../browser/api.ts';
import { count, plural } from '../../browser/format.ts';
import { useLoad } from '../../browser/load.ts';
import { parameters, setParameters } from '../../browser/route.ts';
import { Code } from '../../components/code.tsx';
import { Badge } from '../../components/display.tsx';
import { Check, TextField } from '../../components/form.tsx';
import { LoadedView, Dialog, Panel } from '../../components/surface.tsx';
import { Table } from '../../components/table.tsx';
import { Diagnostics, summaryOf } from '../../parts/diagnostics.tsx';

/** Maximum number of rows. To see others, use the search. */
const maxRows = 400;

type Value = EffectiveConfig['values'][number];
interface FileLocation {
  readonly file: string;
  readonly line: number;
}

/** All effective values with their locations and the problems found by the check, which is faster. */
export function Configuration({ revision }: { revision: string }) {
  const find = parameters.value.get('find') ?? '';
  const [withDefaults, setWithDefaults] = useState(false);
  const checked = useLoad((signal) => get<ConfigFiles>('/api/config/files', {}, signal), [revision]);
  const loaded = useLoad(
    (signal) => get<EffectiveConfig>('/api/config', { q: find, defaults: String(withDefaults), limit: maxRows }, signal),
    [revision, find, withDefaults],
  );
  const [location, setLocation] = useState<FileLocation>();
  return (
    <div class="stack">
      <LoadedView loaded={checked}>{(found) => <CheckResult found={found} onLocation={setLocation} />}</LoadedView>
      <LoadedView loaded={loaded} lines={14}>
        {(config) => (
          <Values config={config} find={find} withDefaults={withDefaults} onDefaults={setWithDefaults} onLocation={setLocation} />
        )}
      </LoadedView>
      {location !== undefined && <FileDialog location={location} onClose={() => setLocation(undefined)} />}
    </div>
  );
}

function CheckResult({ found, onLocation }: { found: ConfigFiles; onLocation: (location: FileLocation) => void }) {
  const { errors, warnings, diagnostics, revision, files } = found;
  return (
    <Panel title="Check" aside={<Badge tone={errors > 0 ? 'bad' : warnings > 0 ? 'warn' : 'ok'}>{summaryOf(found)}</Badge>}>
      {diagnostics.length === 0 ? (
        <p class="muted">
          The texts of revision {revision} have neither errors nor warnings, in {plural(files.length, 'file')}.
        </p>
      ) : (
        <Diagnostics found={found} onLocation={onLocation} />
      )}
    </Panel>
  );
}

interface ValuesProps {
  readonly config: EffectiveConfig;
  readonly find: string;
  readonly withDefaults: boolean;
  readonly onDefaults: (withDefaults: boolean) => void;
  readonly onLocation: (location: FileLocation) => void;
}

function Values({ config: { values, total }, find, withDefaults, onDefaults, onLocation }: ValuesProps) {
  return (
    <Panel title="Effective configuration" aside={<span class="muted small">{plural(total, 'value')}</span>} flush>
      <div class="search-row">
        <TextField
          label="Search names, values and files"
          value={find}
          onInput={(text) => setParameters({ find: text }, { replace: true })}
          placeholder="timeout"
        />
        <Check label="With defaults" checked={withDefaults} onChange={onDefaults} />
      </div>
      <Table
        caption="Effective configuration"
        rows={values}
        rowKey={({ path }) => path}
        columns={[
          { name: 'Name', cell: ({ path }) => <code class="break value-name">{path}</code> },
          { name: 'Value', cell: ({ value }) => <code class="break clamp">{value}</code> },
          { name: 'Defined in', cell: ({ origin }) => <OriginCell origin={origin} onLocation={onLocation} /> },
        ]}
        empty={<p class="muted padded">No value matches all of these words.</p>}
      />
      {total > values.length && <p class="muted padded">Only the first {maxRows} are shown: search for a name.</p>}
    </Panel>
  );
}

function OriginCell({ origin, onLocation }: { origin: Value['origin']; onLocation: (location: FileLocation) => void }) {
  if (origin === 'default') return <span class="muted">default</span>;
  return (
    <button type="button" class="location" onClick={() => onLocation(origin)}>
      {origin.file}:{origin.line}
    </button>
  );
}

function FileDialog({ location, onClose }: { location: FileLocation; onClose: () => void }) {
  const { file, line } = location;
  const loaded = useLoad((signal) => get<ConfigFiles>('/api/config/files', { text_of: file }, signal), [file]);
  useEffect(() => document.querySelector('dialog[open] mark')?.scrollIntoView({ block: 'center' }), [loaded.data]);
  return (
    <Dialog title={file} wide onClose={onClose}>
      <LoadedView loaded={loaded} lines={14}>
        {({ files }) => {
          const text = files.find(({ path }) => path === file)?.text ?? null;
          if (text === null) return <p class="muted">The text of this file is not stored.</p>;
          return <Excerpt text={text} file={file} line={line} />;
        }}
      </LoadedView>
    </Dialog>
  );
}

/** Number of lines shown before and after the marked one: a file may have tens of thousands. */
const contextLines = 500;

function Excerpt({ text, file, line }: FileLocation & { readonly text: string }) {
  const lines = text.split('\n');
  const first = Math.max(1, line - contextLines);
  const shown = lines.slice(first - 1, line + contextLines);
  return (
    <div class="stack tight">
      {shown.length < lines.length && (
        <p class="muted small">
          Lines {count(first)} to {count(first + shown.length - 1)} of {count(lines.length)}
        </p>
      )}
      <Code text={shown.join('\n')} language="yaml" firstLine={first} marked={line} what={file} />
    </div>
  );
}
