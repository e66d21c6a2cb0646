import { useEffect, useMemo, useState } from 'preact/hooks';
import type { EffectiveConfig } from '../../../api-types.ts';
import { get } from '../../browser/api.ts';
import { count } from '../../browser/format.ts';
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

/** All effective values with their locations and the problems found by the check. */
export function Configuration({ revision }: { revision: string }) {
  const loaded = useLoad((signal) => get<EffectiveConfig>('/api/config', {}, signal), [revision]);
  const [location, setLocation] = useState<FileLocation>();
  return (
    <LoadedView loaded={loaded} lines={14}>
      {(config) => (
        <div class="stack">
          <Panel
            title="Check"
            aside={
              <Badge
                tone={config.diagnostics.some(({ level }) => level === 'error') ? 'bad' : config.diagnostics.length > 0 ? 'warn' : 'ok'}
              >
                {summaryOf(config.diagnostics)}
              </Badge>
            }
          >
            {config.diagnostics.length === 0 ? (
              <p class="muted">
                The texts of revision {config.revision} have neither errors nor warnings, in {count(config.files.length)}{' '}
                {config.files.length === 1 ? 'file' : 'files'}.
              </p>
            ) : (
              <Diagnostics list={config.diagnostics} onLocation={setLocation} />
            )}
          </Panel>
          <Values values={config.values} onLocation={setLocation} />
          {location !== undefined && <FileDialog config={config} location={location} onClose={() => setLocation(undefined)} />}
        </div>
      )}
    </LoadedView>
  );
}

function Values({ values, onLocation }: { values: readonly Value[]; onLocation: (location: FileLocation) => void }) {
  const text = parameters.value.get('find') ?? '';
  const [withDefaults, setWithDefaults] = useState(false);
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return values.filter(({ path, value, origin }) => {
      if (!withDefaults && origin === 'default') return false;
      const searchText = `${path} ${value} ${origin === 'default' ? 'default' : `${origin.file}:${origin.line}`}`.toLowerCase();
      return words.every((word) => searchText.includes(word));
    });
  }, [values, text, withDefaults]);
  return (
    <Panel
      title="Effective configuration"
      aside={
        <span class="muted small">
          {count(found.length)} {found.length === 1 ? 'value' : 'values'}
        </span>
      }
      flush
    >
      <div class="search-row">
        <TextField
          label="Search names, values and files"
          value={text}
          onInput={(find) => setParameters({ find }, { replace: true })}
          placeholder="timeout"
        />
        <Check label="With defaults" checked={withDefaults} onChange={setWithDefaults} />
      </div>
      <Table
        caption="Effective configuration"
        rows={found.slice(0, maxRows)}
        rowKey={({ path }) => path}
        columns={[
          { name: 'Name', cell: ({ path }) => <code class="break">{path}</code> },
          { name: 'Value', cell: ({ value }) => <code class="break clamp">{value}</code> },
          { name: 'Defined in', cell: ({ origin }) => <OriginCell origin={origin} onLocation={onLocation} /> },
        ]}
        empty={<p class="muted padded">No value matches all of these words.</p>}
      />
      {found.length > maxRows && <p class="muted padded">Only the first {maxRows} are shown: search for a name.</p>}
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

function FileDialog({ config, location, onClose }: { config: EffectiveConfig; location: FileLocation; onClose: () => void }) {
  const file = config.files.find(({ path }) => path === location.file);
  useEffect(() => document.querySelector('dialog[open] mark')?.scrollIntoView({ block: 'center' }), []);
  return (
    <Dialog title={location.file} wide onClose={onClose}>
      {file === undefined ? (
        <p class="muted">The text of this file is not stored.</p>
      ) : (
        <Code text={file.text} language="yaml" firstLine={1} marked={location.line} what={file.path} />
      )}
    </Dialog>
  );
}
