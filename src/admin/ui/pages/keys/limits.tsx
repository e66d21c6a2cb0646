import { unitTexts } from '../../../../core/limits/limits-text.ts';
import type { UsedLimits, UsedBudget, UsedWindow } from '../../../../core/limits/used-limits.ts';
import { compact, count, plural, usd } from '../../browser/format.ts';
import { Bar } from '../../components/display.tsx';
import { Icon } from '../../components/icon.tsx';

/** Limits of a key, each with a bar that shows how much of it is used. */
export function Limits({ name, limits }: { name: string; limits: UsedLimits | null }) {
  if (limits === null) return <span class="muted">none</span>;
  const { rate, tokens, budget, concurrency } = limits;
  return (
    <ul class="stack-cell limits" aria-label={`Limits of ${name}`}>
      {rate !== null && <WindowLimit limit={rate} noun="request" />}
      {tokens !== null && <WindowLimit limit={tokens} noun="token" />}
      {budget !== null && <BudgetLimit {...budget} />}
      {concurrency !== null && (
        <UnusedLimit short={`${compact(concurrency)} in flight`} whole={`${plural(concurrency, 'request')} in flight`} />
      )}
    </ul>
  );
}

function WindowLimit({ limit: { max, unit, used }, noun }: { limit: UsedWindow; noun: string }) {
  const nouns = `${noun}${max === 1 ? '' : 's'}`;
  const numbers = (text: (n: number) => string): string => `${used === null ? '' : `${text(used)} of `}${text(max)}`;
  const short = `${numbers(compact)} ${nouns}/${unitTexts[unit]}`;
  const whole = `${numbers(count)} ${nouns} per ${unit}`;
  // What was used in the last second is never known.
  if (unit === 'second') return <UnusedLimit short={short} whole={whole} />;
  return <UsedLimit share={used === null ? null : used / max} short={short} whole={whole} />;
}

const periods = { day: 'today', week: 'this week', month: 'this month' } as const;

function BudgetLimit({ usd: max, period, spent_usd: spent, renews }: UsedBudget) {
  const numbers = (text: (decimal: string) => string): string => `${spent === null ? '' : `${text(spent)} of `}${text(max)}`;
  const share = spent === null ? null : Number(max) === 0 ? 1 : Number(spent) / Number(max);
  return (
    <UsedLimit
      share={share}
      short={`${numbers(amount)} USD ${periods[period]}`}
      whole={`${numbers(String)} USD ${periods[period]} (UTC), the next ${period} begins on ${new Date(renews).toISOString().slice(0, 10)}`}
    />
  );
}

/** Four digits, without the sign of the currency. */
const amount = (decimal: string): string => usd(decimal).slice(1).replace(/\.00$/, '');

interface LimitProps {
  /** As shown. */
  readonly short: string;
  /** With exact numbers, as tooltip and for screen readers. */
  readonly whole: string;
}

const LimitText = ({ short, whole }: LimitProps) => (
  <span class="cut" title={whole}>
    <span aria-hidden="true">{short}</span>
    <span class="hidden-text">{whole}</span>
  </span>
);

const UnusedLimit = (props: LimitProps) => (
  <li class="limit">
    <LimitText {...props} />
  </li>
);

/** From this share on, a limit is nearly reached. */
const nearly = 0.8;

/** @param share used part of the limit; null if it is not known: an empty bar keeps its space */
function UsedLimit({ share, ...props }: LimitProps & { readonly share: number | null }) {
  const tone = share === null || share < nearly ? undefined : share < 1 ? 'warn' : 'bad';
  return (
    <li class="limit">
      <LimitText {...props} />
      <span class="limit-use">
        <Bar parts={[Math.min(share ?? 0, 1)]} of={1} tone={tone} />
        {tone !== undefined && (
          <span class={tone}>
            <Icon name={tone} />
            <span class="hidden-text">{tone === 'warn' ? 'nearly reached' : 'reached'}</span>
          </span>
        )}
      </span>
    </li>
  );
}
