import type { ConfigPage, ConfigView, LiveFigures, Status } from '../../../api-types.ts';
import { get } from '../../browser/api.ts';
import { gatewayNow } from '../../browser/gateway-state.ts';
import { clock, plural } from '../../browser/format.ts';
import { useLoad } from '../../browser/load.ts';
import { hasRole } from '../../browser/session.ts';
import { Code } from '../../components/code.tsx';
import { OriginLabel } from '../../components/difference.tsx';
import { Empty } from '../../components/display.tsx';
import { Page } from '../../components/page.tsx';
import { LoadedView, Panel } from '../../components/surface.tsx';
import { NameList, NoEntry } from '../../parts/name-list.tsx';
import { useListAndEntry } from '../../parts/use-list-and-entry.ts';
import { ExplainForm } from './explain-form.tsx';
import { Tree } from './tree.tsx';

const example = `configs:
  support:
    strategy: {mode: fallback, on_status_codes: [429, 500, 502, 503]}
    targets:
      - openai-main/gpt-4o-mini
      - azure-eu/gpt-4o-mini`;

/** Each named config with its tree of targets, its YAML, and a form to explain a request. */
export function Configs({ name }: { name: string | undefined }) {
  const loaded = useListAndEntry<ConfigPage, ConfigView>(name, {
    path: '/api/configs',
    firstOf: ({ configs }) => configs[0]?.name,
    every: 15_000,
  });
  const status = useLoad((signal) => get<Status>('/api/status', {}, signal), []);
  const window = windowOf(status.data?.started_at);
  return (
    <Page title="Configs">
      <LoadedView loaded={loaded} lines={12}>
        {({ page, find, name: selected, entry: config }) => (
          <>
            {page.total === 0 && find === '' && selected === undefined && config === undefined ? (
              <NoConfigs />
            ) : (
              <div class="split">
                <NameList
                  label="Configs"
                  names={page.configs.map(({ name: one, live }) => ({ name: one, note: noteOf(live) }))}
                  page={page}
                  find={find}
                  current={name ?? config?.name}
                  hrefOf={(one) => `/configs/${encodeURIComponent(one)}`}
                />
                {config === undefined ? <NoEntry what="config" name={selected} /> : <ConfigDetails config={config} window={window} />}
              </div>
            )}
            {hasRole('operator') && <ExplainForm current={config} />}
          </>
        )}
      </LoadedView>
    </Page>
  );
}

const hour = 3_600_000;

/** Describes the period of the figures, which are counted in memory by minute. */
const windowOf = (start: number | undefined): string =>
  start === undefined || gatewayNow() - start > hour ? 'in the last hour' : `since the start at ${clock(start).slice(0, 5)}`;

/** Without the period, because the list is narrow. The period is shown next to the tree. */
const noteOf = ({ requests }: LiveFigures): string => (requests === 0 ? 'no attempts' : plural(requests, 'attempt'));

function NoConfigs() {
  return (
    <Empty icon="configs" title="No named configs yet">
      <p>
        A config defines where requests are sent: fallbacks, weights, conditions. Add one to <code>gateway.yaml</code>; clients name it in{' '}
        <code>x-gateway-config: support</code>.
      </p>
      <Code text={example} language="yaml" what="example" />
    </Empty>
  );
}

function ConfigDetails({ config, window }: { config: ConfigView; window: string }) {
  const { name, at, yaml, root } = config;
  return (
    <div class="halves">
      <Panel title={<span class="break">{name}</span>} aside={<span class="muted small">{window}</span>}>
        <Tree config={name} root={root} />
      </Panel>
      <Panel title="YAML" aside={<OriginLabel at={at} />}>
        {yaml === '' ? (
          <p class="muted">No file has lines for this config alone, so there is no YAML to show.</p>
        ) : (
          <Code text={yaml} language="yaml" what={`YAML of ${name}`} firstLine={at?.line ?? 1} />
        )}
      </Panel>
    </div>
  );
}
