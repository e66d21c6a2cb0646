import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { gatewayNow } from '../browser/gateway-state.ts';
import { ago, moment } from '../browser/format.ts';
import { useDelayedTrue } from '../browser/use-delayed-true.ts';
import { Icon, type IconName } from './icon.tsx';

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'idle' | 'off';

const iconOf: Readonly<Record<Tone, IconName>> = { ok: 'ok', warn: 'warn', bad: 'bad', info: 'info', idle: 'idle', off: 'off' };

/** A state as icon and word, so that the meaning does not depend on colour alone. */
export function Badge({
  tone,
  children,
  filled = false,
  icon,
}: {
  tone: Tone;
  children: ComponentChildren;
  filled?: boolean;
  icon?: IconName;
}) {
  return (
    <span class={`badge ${tone}${filled ? ' filled' : ''}`}>
      <Icon name={icon ?? iconOf[tone]} />
      <span class="cut">{children}</span>
    </span>
  );
}

/** An identifier as it is written in files and requests. */
export function Tag({ children, title }: { children: ComponentChildren; title?: string }) {
  return (
    <span class="tag" title={title ?? (typeof children === 'string' ? children : undefined)}>
      {children}
    </span>
  );
}

/** A bar that shows parts of a total in shades of one colour; `of` is the total. Show the number next to it. */
export function Bar({ parts, of, tone }: { parts: readonly number[]; of: number; tone?: 'ok' | 'warn' | 'bad' | undefined }) {
  const whole = Math.max(of, ...parts, 1e-9);
  return (
    <span class={`bar${tone === undefined ? '' : ` ${tone}`}`} aria-hidden="true">
      {parts.map((part, i) => (
        <i key={i} style={{ width: `${Math.max(0, (100 * part) / whole).toFixed(2)}%` }} />
      ))}
    </span>
  );
}

/** A relative time, with the exact time as tooltip and as machine-readable value. */
export function Ago({ at }: { at: number }) {
  const [, setTurn] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTurn((n) => n + 1), 10_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time class="nowrap" dateTime={new Date(at).toISOString()} title={moment(at)}>
      {ago(at, gatewayNow())}
    </time>
  );
}

/** One figure with its name; `href` links to the counted items. */
export function Figure({
  name,
  value,
  note,
  href,
}: {
  name: string;
  value: ComponentChildren;
  note?: ComponentChildren;
  href?: string | undefined;
}) {
  const inner = (
    <>
      <span class="name">{name}</span>
      <span class="value" title={typeof value === 'string' ? value : undefined}>
        {value}
      </span>
      <span class="note">{note}</span>
    </>
  );
  return href === undefined ? (
    <div class="figure">{inner}</div>
  ) : (
    <a class="figure" href={href}>
      {inner}
    </a>
  );
}

/** A list of names and values. Rows whose value is null, undefined or false are omitted. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '');
  return (
    <dl class="facts">
      {shown.map(([name, value]) => (
        <>
          <dt key={`${name}.t`}>{name}</dt>
          <dd key={`${name}.d`}>{value}</dd>
        </>
      ))}
    </dl>
  );
}

/** Placeholder for text that is loading, as high as the text. Widths in percent. */
export function Skeleton({ lines = 3, height }: { lines?: number; height?: string }) {
  const widths = [92, 78, 86, 64, 81];
  return (
    <div class="stack tight" aria-hidden="true">
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} class="skeleton" style={{ width: height === undefined ? `${widths[i % widths.length]}%` : '100%', height }} />
      ))}
    </div>
  );
}

const slowMs = 900;

/** Content that is loading. After a second, a hint covers its top, so that nothing moves. */
export function Loading(skeleton: { lines: number; height?: string }) {
  return (
    <div class="loading">
      <Skeleton {...skeleton} />
      <SlowHint />
    </div>
  );
}

/** Says what the page may be waiting for, and where to look. */
function SlowHint() {
  if (!useDelayedTrue(true, slowMs)) return null;
  return (
    <p class="slow-hint muted" role="status">
      No response yet. A large configuration takes a moment; if the request log does not respond, <a href="/system">System</a> shows it.
    </p>
  );
}

/** Empty state: explains why there is nothing, and what to do next. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
