import type { ProviderPage, ProviderView } from '../../../api-types.ts';
import { get } from '../../browser/api.ts';
import { LogFault } from '../../parts/log-fault.tsx';
import { pageInAddress, pageSize, Pager, useSearchText } from '../../parts/pager.tsx';
import { NoEntry } from '../../parts/name-list.tsx';
import { loadEntry } from '../../parts/use-list-and-entry.ts';
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
  const { find, offset } = pageInAddress();
  const loaded = useLoadWithUsage(
    async (usage, signal) => {
      if (name === undefined)
        return { name, find, ...(await get<ProviderPage>('/api/providers', { q: find, limit: pageSize, offset, usage }, signal)) };
      const provider = await loadEntry<ProviderView>('/api/providers', name, signal, { usage });
      return { name, find, providers: provider === undefined ? [] : [provider], total: 1, offset: 0 };
    },
    [name, find, offset],
    15_000,
  );
  const [text, setText] = useSearchText();
  return (
    <Page title="Catalog">
      <LoadedView loaded={loaded} lines={12}>
        {({ name: shown, find: found, providers, ...page }) => {
          const isSearched = found !== '' || text !== '';
          if (page.total === 0 && !isSearched) return <NoProviders />;
          return (
            <div class="stack">
              <LogFault what="Cost today" of={providers} />
              {shown === undefined && (page.total >= many || isSearched) && (
                <TextField label="Search providers, models and deployments" value={text} onInput={setText} placeholder="gpt-4o" />
              )}
              {shown !== undefined && (
                <p>
                  <a href="/catalog">All providers</a>
                </p>
              )}
              {providers.length === 0 ? (
                <NoEntry what="provider" name={shown} />
              ) : (
                <div class="provider-grid">
                  {providers.map((provider) => (
                    <Provider key={provider.slug} provider={provider} />
                  ))}
                </div>
              )}
              {shown === undefined && <Pager page={page} />}
            </div>
          );
        }}
      </LoadedView>
    </Page>
  );
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
