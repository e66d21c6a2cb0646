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
export function Configuration({ revision }: { revision: string | undefined }) {
  const loaded = useLoad((signal) => get<EffectiveConfig>('/api/config', {}, signal), [revision]);
  const [spot, setSpot] = useState<FileLocation>();
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
              <Diagnostics list={config.diagnostics} onLocation={setSpot} />
            )}
          </Panel>
          <Values values={config.values} onPlace={setSpot} />
          {spot !== undefined && <FileDialog config={config} spot={spot} onClose={() => setSpot(undefined)} />}
        </div>
      )}
    </LoadedView>
  );
}

function Values({ values, onPlace }: { values: readonly Value[]; onPlace: (spot: FileLocation) => void }) {
  const text = parameters.value.get('find') ?? '';
  const [withDefaults, setWithDefaults] = useState(false);
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return values.filter(({ path, value, origin }) => {
      if (!withDefaults && origin === 'default') return false;
      const held = `${path} ${value} ${origin === 'default' ? 'default' : `${origin.file}:${origin.line}`}`.toLowerCase();
      return words.every((word) => held.includes(word));
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
          { name: 'Written in', cell: ({ origin }) => <OriginCell origin={origin} onPlace={onPlace} /> },
        ]}
        empty={<p class="muted padded">No value has all of these words.</p>}
      />
      {found.length > maxRows && <p class="muted padded">Only the first {maxRows} are shown: search for a name.</p>}
    </Panel>
  );
}

function OriginCell({ origin, onPlace }: { origin: Value['origin']; onPlace: (spot: FileLocation) => void }) {
  if (origin === 'default') return <span class="muted">default</span>;
  return (
    <button type="button" class="place" onClick={() => onPlace(origin)}>
      {origin.file}:{origin.line}
    </button>
  );
}

function FileDialog({ config, spot, onClose }: { config: EffectiveConfig; spot: FileLocation; onClose: () => void }) {
  const file = config.files.find(({ path }) => path === spot.file);
  useEffect(() => document.querySelector('dialog[open] mark')?.scrollIntoView({ block: 'center' }), []);
  return (
    <Dialog title={spot.file} wide onClose={onClose}>
      {file === undefined ? (
        <p class="muted">The text of this file is not stored.</p>
      ) : (
        <Code text={file.text} language="yaml" firstLine={1} marked={spot.line} what={file.path} />
      )}
    </Dialog>
  );
}
