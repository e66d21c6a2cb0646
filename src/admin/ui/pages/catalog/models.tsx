import { useState } from 'preact/hooks';
import type { ProviderView } from '../../../api-types.ts';
import { Button } from '../../components/button.tsx';
import { Tag } from '../../components/display.tsx';
import { Table } from '../../components/table.tsx';

/** The others are shown after a click on a button. */
const fewModels = 8;
const fewDeployments = 5;

/** Names that clients may send: models, or deployments with their models. */
export function Models({ provider: { slug, models, deployments } }: { provider: ProviderView }) {
  const [all, setAll] = useState(false);
  const rows = all ? deployments : deployments.slice(0, fewDeployments);
  const names = all ? models : models.slice(0, fewModels);
  const hidden = models.length - names.length + deployments.length - rows.length;
  if (models.length === 0 && deployments.length === 0)
    return (
      <p class="muted small">
        No list of models: every model that the provider has can be named, as <code>@{slug}/…</code>
      </p>
    );
  return (
    <div class="stack tight">
      {deployments.length > 0 && (
        <Table
          caption={`Deployments of ${slug}`}
          rows={rows}
          rowKey={({ alias }) => alias}
          columns={[
            { name: 'Name for clients', cell: ({ alias }) => <code class="break clamp">{alias}</code> },
            { name: 'Deployment', cell: ({ deployment }) => <span class="break clamp">{deployment}</span> },
            {
              name: 'Foundation model',
              cell: ({ foundation_model: model }) => <span class="break clamp muted">{model ?? 'not set'}</span>,
            },
          ]}
        />
      )}
      {names.length > 0 && deployments.length === 0 && (
        <div class="row" aria-label={`Models of ${slug}`} role="group">
          {names.map((model) => (
            <Tag key={model}>{model}</Tag>
          ))}
        </div>
      )}
      {(hidden > 0 || all) && (
        <div>
          <Button small kind="quiet" icon={all ? 'up' : 'down'} expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Fewer' : `${hidden} more`}
          </Button>
        </div>
      )}
    </div>
  );
}
