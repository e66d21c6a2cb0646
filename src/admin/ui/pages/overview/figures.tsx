import type { Stats } from '../../../../core/logs/reader.ts';
import { compact, count, duration, percent, plural, usd } from '../../browser/format.ts';
import { Figure } from '../../components/display.tsx';
import { anyError, type TimeRange, requestsHref } from '../../log/terms.ts';

export function Figures({ stats, range }: { stats: Stats; range: TimeRange }) {
  const { total } = stats;
  const { requests, errors, fallbacks, tokens_in: into, tokens_out: out, unpriced } = total;
  return (
    <section class="panel figures" aria-label="Figures">
      <Figure name="Requests" value={compact(requests)} note={perMinute(stats)} href={requestsHref('', range)} />
      <Figure name="Error rate" value={percent(errors, requests)} note={`${count(errors)} failed`} href={requestsHref(anyError, range)} />
      <Figure
        name="Duration"
        value={duration(total.p50)}
        note={`median · p95 ${duration(total.p95)} · p99 ${duration(total.p99)}`}
        href={requestsHref(`latency:>=${Math.round(total.p95 ?? 1000)}ms`, range)}
      />
      <Figure
        name="First token"
        value={duration(total.ttft_p50)}
        note={`median · p95 ${duration(total.ttft_p95)}`}
        href={requestsHref('ttft:*', range)}
      />
      <Figure
        name="Tokens"
        value={compact(into + out)}
        note={`${compact(into)} in · ${compact(out)} out`}
        href={requestsHref('tokens_out:>0', range)}
      />
      <Figure
        name="Cost"
        value={usd(total.cost_usd)}
        note={unpriced > 0 ? `${count(unpriced)} with an unknown price` : 'all prices known'}
        href={requestsHref('cost:>0', range)}
      />
      <Figure
        name="Fallbacks"
        value={percent(fallbacks, requests)}
        note={plural(fallbacks, 'request')}
        href={requestsHref('fallback:true', range)}
      />
      <Figure
        name="Overhead"
        value={duration(total.overhead_p50)}
        note={`median · p95 ${duration(total.overhead_p95)}`}
        href={requestsHref('overhead:>10ms', range)}
      />
    </section>
  );
}

function perMinute({ total, since, until }: Stats): string {
  const minutes = Math.max(1, (until - since) / 60_000);
  const rate = total.requests / minutes;
  if (rate > 0 && rate < 0.05) return '< 0.1 a minute';
  return `${rate >= 10 ? count(Math.round(rate)) : rate.toFixed(1)} a minute`;
}
