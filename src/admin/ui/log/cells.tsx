import { hopTexts } from '../../../core/logs/hops.ts';
import type { LogRow } from '../../../core/logs/row.ts';
import { compact, count, duration, usd } from '../browser/format.ts';
import { Badge, Bar, type Tone } from '../components/display.tsx';

/** One-word description of a status. */
export function statusLabel(status: number, end: LogRow['end']): { readonly tone: Tone; readonly word: string } {
  if (end === 'client_gone') return { tone: 'warn', word: 'client left' };
  if (end === 'drained') return { tone: 'warn', word: 'stopped' };
  if (status === 101) return { tone: 'ok', word: 'socket' };
  if (status === 429) return { tone: 'warn', word: 'limited' };
  if (status >= 500) return { tone: 'bad', word: status === 504 ? 'timeout' : 'failed' };
  if (status === 408) return { tone: 'bad', word: 'timeout' };
  if (status === 401 || status === 403) return { tone: 'warn', word: 'denied' };
  if (status === 404) return { tone: 'warn', word: 'not found' };
  if (status >= 400) return { tone: 'warn', word: 'rejected' };
  return end === 'fault' ? { tone: 'bad', word: 'broken' } : { tone: 'ok', word: 'ok' };
}

/** Status code and description with an icon; `↷` if a fallback target was used. */
export function Status({ status, end, fallback }: { status: number; end: LogRow['end']; fallback: boolean }) {
  const { tone, word } = statusLabel(status, end);
  return (
    <Badge tone={tone}>
      {status}
      {fallback && <span title="another target was used after a failure"> ↷</span>} {word}
    </Badge>
  );
}

/** `openai-main/gpt-4o-mini`; the endpoint if there is no model, or if the gateway itself responded. */
export function routeText({ provider, model, endpoint }: Pick<LogRow, 'provider' | 'model' | 'endpoint'>): string {
  if (provider === null) return model ?? endpoint;
  return model === null || model === '' ? `${provider} ${endpoint}` : `${provider}/${model}`;
}

/** `openai-main 429 ×2 → azure-eu/gpt-4o-mini`: if the line is too long, failed attempts are truncated before the target that responded. */
export function Route({ row }: { row: Pick<LogRow, 'hops' | 'provider' | 'model' | 'endpoint'> }) {
  const { hops } = row;
  const last = routeText(row);
  const title = [...hops.map((hop) => `${hop.provider}/${hop.model} ${hop.said}`), last].join(' → ');
  return (
    <span class="route" title={title}>
      {hops.length > 0 && (
        <span class="hops">
          <span class="cut">{hopTexts(hops).join(' → ')}</span>
          <span> → </span>
        </span>
      )}
      <span class="cut">{last}</span>
    </span>
  );
}

/** A duration with a bar in two shades: time to first token, and the rest. `of` is the duration of a full bar. */
export function Duration({ latency, ttft, of }: { latency: number; ttft: number | null; of: number }) {
  const first = Math.min(ttft ?? latency, latency);
  const title = ttft === null ? duration(latency) : `${duration(latency)}, first token after ${duration(ttft)}`;
  return (
    <span class="duration" title={title}>
      <span>{duration(latency)}</span>
      <Bar parts={[Math.min(first, of), Math.max(0, Math.min(latency, of) - first)]} of={of} />
    </span>
  );
}

/** Large numbers are rounded, because a truncated number would be wrong. */
export function Tokens({ row }: { row: Pick<LogRow, 'tokens_in' | 'tokens_out' | 'tokens_cached' | 'tokens_reasoning'> }) {
  const { tokens_in: into, tokens_out: out, tokens_cached: cached, tokens_reasoning: reasoning } = row;
  if (into === 0 && out === 0) return <span class="muted">–</span>;
  const more = [cached > 0 ? `${count(cached)} cached` : '', reasoning > 0 ? `${count(reasoning)} reasoning` : ''].filter(
    (text) => text !== '',
  );
  return (
    <span class="cut" title={`${count(into)} in, ${count(out)} out${more.length > 0 ? ` (${more.join(', ')})` : ''}`}>
      {compact(into)} → {compact(out)}
    </span>
  );
}

/** An unknown price is shown as unknown, not as zero. A request that reached no provider has no price. */
export function Cost({ cost, provider }: Pick<LogRow, 'cost' | 'provider'>) {
  return <span class={cost === null ? 'muted cut' : 'cut'}>{cost === null && provider === null ? '–' : usd(cost)}</span>;
}
