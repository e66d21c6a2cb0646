import type { ProviderHealth } from '../../../api-types.ts';
import { count, duration, percent } from '../../browser/format.ts';
import { Badge, type Tone } from '../../components/display.tsx';
import { Panel } from '../../components/surface.tsx';
import { requestHref, requestsHref, term } from '../../log/terms.ts';

const tones: Readonly<Record<ProviderHealth['state'], Tone>> = { ok: 'ok', degraded: 'warn', down: 'bad', idle: 'idle', off: 'off' };

/** One card a provider: how it did in the last five minutes. */
export function Providers({ providers }: { providers: readonly ProviderHealth[] }) {
  if (providers.length === 0) return null;
  return (
    <Panel title="Providers" aside={<span class="muted small">last 5 minutes</span>}>
      <ul class="provider-strip">
        {providers.map((provider) => (
          <Card key={provider.slug} provider={provider} />
        ))}
      </ul>
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
        <Badge tone={tones[state]} filled>
          {state}
        </Badge>
      </div>
      <p class="muted small cut">
        {figures.requests === 0
          ? 'no requests'
          : `${count(figures.requests)} ${figures.requests === 1 ? 'request' : 'requests'} · ${percent(figures.errors, figures.requests)} errors · p95 ${duration(figures.p95)}`}
      </p>
      {last !== null && state !== 'ok' && (
        <a class="small cut" href={requestHref(last.id)} title={last.message}>
          {last.message}
        </a>
      )}
    </li>
  );
}
