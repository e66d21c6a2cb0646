import type { ProviderHealth, Status } from '../../../api-types.ts';
import { mostRelevant } from '../../../provider-order.ts';
import { count, duration, percent, plural } from '../../browser/format.ts';
import { Ago } from '../../components/display.tsx';
import { Panel } from '../../components/surface.tsx';
import { requestHref, requestsHref, term } from '../../log/terms.ts';
import { ProviderState } from '../../parts/provider-state.tsx';

/** Maximum number of cards, so that the charts below remain visible. */
const maxCards = 12;

/** One card per provider with figures of the last five minutes. If there are many, those with problems first, then those in use. */
export function Providers({ status: { providers, providers_total: total } }: { status: Status }) {
  if (providers.length === 0) return null;
  const shown = mostRelevant(providers, maxCards);
  return (
    <Panel title="Providers" aside={<span class="muted small">last 5 minutes</span>}>
      <div class="stack">
        <ul class="provider-strip">
          {shown.map((provider) => (
            <Card key={provider.slug} provider={provider} />
          ))}
        </ul>
        {shown.length < total && (
          <p class="small">
            <a href="/catalog">{count(total - shown.length)} more in the Catalog</a>
          </p>
        )}
      </div>
    </Panel>
  );
}

function Card({ provider }: { provider: ProviderHealth }) {
  const { slug, state, figures, last_error: last } = provider;
  return (
    <li class="provider-card">
      <div class="row apart">
        <a class="cut" href={requestsHref(term('provider', slug), '15m')}>
          {slug}
        </a>
        <ProviderState state={state} />
      </div>
      <p class="muted small cut">
        {figures.requests === 0
          ? 'no requests'
          : `${plural(figures.requests, 'request')} · ${percent(figures.errors, figures.requests)} errors · p95 ${duration(figures.p95)}`}
      </p>
      {last !== null && state !== 'ok' && (
        <p class="small cut">
          <span class="muted">
            <Ago at={last.at} />:{' '}
          </span>
          <a href={requestHref(last.id)} title={last.message}>
            {last.message}
          </a>
        </p>
      )}
    </li>
  );
}
