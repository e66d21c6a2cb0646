import type { ProviderTest, ProviderView } from '../../../api-types.ts';
import { post } from '../../browser/api.ts';
import { compact, duration, percent, usd } from '../../browser/format.ts';
import { hasRole } from '../../browser/session.ts';
import { Button } from '../../components/button.tsx';
import { OriginLabel } from '../../components/difference.tsx';
import { Ago, Facts } from '../../components/display.tsx';
import { Notice, Panel, Problem } from '../../components/surface.tsx';
import { requestHref, requestsHref, term } from '../../log/terms.ts';
import { ProviderState } from '../../parts/provider-state.tsx';
import { useAction } from '../../parts/use-action.ts';
import { Models } from './models.tsx';

/** One provider: its health, its models, and a test with its real credential. */
export function Provider({ provider }: { provider: ProviderView }) {
  const { slug, type, name, description, at, problem, health, enabled } = provider;
  const test = useAction<ProviderTest>();
  return (
    <Panel
      title={
        <span class="row">
          <span class="break">{slug}</span>
          <ProviderState state={enabled ? health.state : 'off'} />
        </span>
      }
      aside={
        hasRole('operator') &&
        enabled && (
          <Button
            small
            icon="play"
            disabled={test.busy}
            label={`Test ${slug} with its real credential`}
            onClick={() => test.run((signal) => post(`/api/providers/${encodeURIComponent(slug)}/test`, {}, signal))}
          >
            {test.busy ? 'Testing…' : 'Test'}
            <span class="hidden-text"> {slug}</span>
          </Button>
        )
      }
    >
      <div class="stack tight">
        <OriginLabel at={at} />
        {problem !== null && (
          <Notice tone={enabled ? 'warn' : 'info'} title={`Gets no requests: ${problem}`}>
            <p>Fallbacks and load balancing leave it out. The gateway rejects other requests for it.</p>
          </Notice>
        )}
        <div role="status">
          <TestResult test={test.result} />
        </div>
        {test.error !== undefined && <Problem error={test.error} />}
        {name !== null && name !== slug && (
          <p class="break" dir="auto">
            {name}
          </p>
        )}
        {description !== null && (
          <p class="muted break" dir="auto">
            {description}
          </p>
        )}
        <Figures provider={provider} />
        <Facts
          rows={[
            ['type', <code key="t">{type}</code>],
            ['host', provider.host === null ? null : <code key="h">{provider.host}</code>],
            ['credential', <code key="c">{provider.credential}</code>],
          ]}
        />
        <LastError last={health.last_error} />
        <Models provider={provider} />
      </div>
    </Panel>
  );
}

function TestResult({ test }: { test: ProviderTest | undefined }) {
  if (test === undefined) return null;
  return (
    <Notice tone={test.ok ? 'ok' : 'bad'} title={`${test.message} (${duration(test.ms)})`}>
      {test.hint !== null && <p>{test.hint}</p>}
    </Notice>
  );
}

function Figures({ provider: { slug, health, cost_today_usd: cost, log_fault: fault } }: { provider: ProviderView }) {
  const { figures } = health;
  const list = (range: string): string => requestsHref(term('provider', slug), range);
  return (
    <dl class="mini-figures">
      <div>
        <dt>Last 5 min</dt>
        <dd>
          <a href={list('5m')} title="requests">
            {compact(figures.requests)}
            <span class="hidden-text"> requests</span>
          </a>
        </dd>
      </div>
      <div>
        <dt>Errors</dt>
        <dd>{figures.requests === 0 ? '–' : percent(figures.errors, figures.requests)}</dd>
      </div>
      <div>
        <dt>p50</dt>
        <dd>{duration(figures.p50)}</dd>
      </div>
      <div>
        <dt>p95</dt>
        <dd>{duration(figures.p95)}</dd>
      </div>
      <div>
        <dt title="Since midnight UTC">Cost today</dt>
        <dd class="cut" title={cost ?? fault ?? undefined}>
          {cost === null ? '–' : usd(cost)}
          {cost === null && <span class="hidden-text"> {fault}</span>}
        </dd>
      </div>
    </dl>
  );
}

function LastError({ last }: { last: ProviderView['health']['last_error'] }) {
  if (last === null) return null;
  return (
    <p class="last-error">
      <span class="muted">
        last error <Ago at={last.at} />:{' '}
      </span>
      <a href={requestHref(last.id)} title={last.message}>
        {last.message}
      </a>
    </p>
  );
}
