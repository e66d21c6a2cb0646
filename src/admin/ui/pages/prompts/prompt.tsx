import { useState } from 'preact/hooks';
import type { PromptView } from '../../../api-types.ts';
import { hasRole } from '../../browser/session.ts';
import { OriginLabel } from '../../components/difference.tsx';
import { Badge, Facts, Tag } from '../../components/display.tsx';
import { Panel } from '../../components/surface.tsx';
import { Table } from '../../components/table.tsx';
import { Runs } from './runs.tsx';
import { TryOut } from './try-out.tsx';

type Version = PromptView['versions'][number];

/** Milliseconds until the record of a run is stored. */
const storedAfter = 1500;

/** One prompt: versions, variables, rendered messages, recent runs, and a form to run it. */
export function Prompt({ prompt }: { prompt: PromptView }) {
  const { id, description, at, versions, variables, model, config } = prompt;
  const [version, setVersion] = useState(versions.find(({ published }) => published)?.number ?? versions.at(-1)?.number ?? 1);
  const [runs, setRuns] = useState(0);
  return (
    <div class="stack">
      <Panel title={<span class="break">{id}</span>} aside={<OriginLabel at={at} />}>
        <div class="stack">
          {description !== null && (
            <p class="break" dir="auto">
              {description}
            </p>
          )}
          <Facts
            rows={[
              ['model', model === null ? 'from the request or the config' : <code key="m">{model}</code>],
              [
                'config',
                config === null ? null : (
                  <a key="c" href={`/configs/${encodeURIComponent(config)}`}>
                    {config}
                  </a>
                ),
              ],
              ['called as', <code key="p">POST /v1/prompts/{id}/completions</code>],
            ]}
          />
          <Versions versions={versions} />
          {!hasRole('operator') && <Variables variables={variables} />}
        </div>
      </Panel>
      {hasRole('operator') && (
        <TryOut
          prompt={prompt}
          version={version}
          onVersion={setVersion}
          onRun={() => setTimeout(() => setRuns((n) => n + 1), storedAfter)}
        />
      )}
      <Runs id={id} turn={runs} />
    </div>
  );
}

function Versions({ versions }: { versions: readonly Version[] }) {
  return (
    <Table
      caption="Versions"
      rows={versions.toReversed()}
      rowKey={({ number }) => String(number)}
      columns={[
        { name: 'Version', cell: ({ number }) => number },
        {
          name: 'State',
          cell: ({ published }) => (published ? <Badge tone="ok">published</Badge> : <span class="muted">by number or label</span>),
        },
        {
          name: 'Labels',
          cell: ({ labels }) =>
            labels.length === 0 ? (
              <span class="muted">–</span>
            ) : (
              <span class="row scope">
                {labels.map((label) => (
                  <Tag key={label}>{label}</Tag>
                ))}
              </span>
            ),
        },
      ]}
    />
  );
}

function Variables({ variables }: { variables: PromptView['variables'] }) {
  return (
    <Facts
      rows={variables.map(({ name, required, default: defaultValue }) => [
        name,
        required ? 'required' : defaultValue === null ? 'optional' : `default ${defaultValue}`,
      ])}
    />
  );
}
