import { useState } from 'preact/hooks';
import type { ProviderView } from '../../../api-types.ts';
import { get } from '../../browser/api.ts';
import { setParameters } from '../../browser/route.ts';
import { LogFault } from '../../parts/log-fault.tsx';
import { pageInAddress, pageSize, Pager } from '../../parts/pager.tsx';
import { useLoadWithUsage } from '../../parts/use-load-with-usage.ts';
import { Code } from '../../components/code.tsx';
import { Empty } from '../../components/display.tsx';
import { TextField } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { LoadedView } from '../../components/surface.tsx';
import { Provider } from './provider.tsx';

const example = `providers:
  openai-main:
    type: openai
    api_key: \${env:OPENAI_API_KEY}`;

/** Number of entries from which a search field is shown. */
const many = 6;

/** The providers, their health and their prices. */
export function Catalog({ name }: { name: string | undefined }) {
  const loaded = useLoadWithUsage((usage, signal) => get<readonly ProviderView[]>('/api/providers', { usage }, signal), [], 15_000);
  const [find, setFind] = useState('');
  const { offset } = pageInAddress();
  const search = (text: string): void => {
    setFind(text);
    setParameters({ from: undefined }, { replace: true });
  };
  return (
    <Page title="Catalog">
      <LoadedView loaded={loaded} lines={12}>
        {(providers) => {
          if (providers.length === 0 && name === undefined) return <NoProviders />;
          const found = providers.filter((one) => matchesSearch(one, find) && (name === undefined || one.slug === name));
          return (
            <div class="stack">
              <LogFault what="Cost today" of={found} />
              {name === undefined && providers.length >= many && (
                <TextField label="Search providers, models and deployments" value={find} onInput={search} placeholder="gpt-4o" />
              )}
              {name !== undefined && (
                <p>
                  <a href="/catalog">All providers</a>
                </p>
              )}
              {found.length === 0 ? (
                <Empty icon="search" title={name === undefined ? 'No provider matches' : `There is no provider “${name}”`} />
              ) : (
                <div class="provider-grid">
                  {found.slice(offset, offset + pageSize).map((provider) => (
                    <Provider key={provider.slug} provider={provider} />
                  ))}
                </div>
              )}
              <Pager total={found.length} />
            </div>
          );
        }}
      </LoadedView>
    </Page>
  );
}

function matchesSearch({ slug, type, name, models, deployments }: ProviderView, find: string): boolean {
  const searchText = [
    slug,
    type,
    name ?? '',
    ...models,
    ...deployments.flatMap((one) => [one.alias, one.deployment, one.foundation_model ?? '']),
  ];
  return searchText.join('\n').toLowerCase().includes(find.trim().toLowerCase());
}

function NoProviders() {
  return (
    <Empty icon="catalog" title="No providers yet">
      <p>
        A provider is an upstream API with a credential. Add one to <code>gateway.yaml</code>; it is active one second after you save.
        Requests name it as <code>@openai-main/gpt-4o-mini</code>.
      </p>
      <Code text={example} language="yaml" what="example" />
    </Empty>
  );
}
