import type { AttemptRecord, LogRecord, PluginRecord } from '../../../../../core/records/record.ts';

export interface Segment {
  readonly kind: 'plugin' | 'pause' | 'connect' | 'wait' | 'token' | 'stream' | 'total';
  /** Milliseconds from arrival. */
  readonly from: number;
  readonly ms: number;
}

export type Step =
  | { readonly kind: 'plugin'; readonly plugin: PluginRecord }
  | { readonly kind: 'attempt'; readonly attempt: AttemptRecord };

export interface TimelineBar {
  readonly key: string;
  readonly name: string;
  /** Shown in small type after the name. */
  readonly about: string;
  readonly ms: number;
  readonly segments: readonly Segment[];
  readonly step: Step | null;
  readonly attempt: AttemptRecord | null;
}

/** Plugin moments that run after the last attempt. */
const lateMoments = new Set(['reply', 'settle', 'record']);

/** One bar per plugin and per attempt, in order of execution. */
export function barsOf(record: LogRecord): readonly TimelineBar[] {
  const bars: TimelineBar[] = [];
  const { attempts } = record;
  const last = attempts.at(-1);
  let next = 0;
  let from = 0;
  // Plugins that have already judged this attempt. If one of them occurs again, it judges the next attempt.
  const judged = new Set<string>();
  const addAttempt = (attempt: AttemptRecord): void => {
    bars.push(attemptBar(attempt, attempt === last ? record.ms : null, attempts[next - 1]));
    // An attempt is judged when its response head arrives; its stream may continue.
    from =
      attempt.at + (attempt === last && attempt.outcome === 'answered' ? (attempt.first_byte_ms ?? attempt.total_ms) : attempt.total_ms);
    next += 1;
  };
  const addAttempts = (isEnough: (attempt: AttemptRecord) => boolean): void => {
    for (let attempt = attempts[next]; attempt !== undefined; attempt = attempts[next]) {
      addAttempt(attempt);
      if (isEnough(attempt)) return;
    }
  };
  record.plugins.forEach((plugin, i) => {
    const { name, moment } = plugin;
    if (moment === 'judge') {
      // Skipped targets are not judged.
      if (judged.size === 0 || judged.has(name)) {
        addAttempts(({ outcome }) => outcome !== 'skipped');
        judged.clear();
      }
      judged.add(name);
    } else if (lateMoments.has(moment)) addAttempts(() => false);
    else {
      // A retry is prepared after its delay, not before it.
      if (judged.size > 0) from = Math.max(from, (attempts[next]?.at ?? 0) - preparationMs(record.plugins.slice(i)));
      judged.clear();
    }
    if (moment === 'settle' && last !== undefined) from = Math.max(from, last.at + last.total_ms);
    bars.push(pluginBar(plugin, i, from));
    from += plugin.ms;
  });
  addAttempts(() => false);
  return bars;
}

/** Duration in milliseconds of the plugins that run before the next attempt. */
function preparationMs(plugins: readonly PluginRecord[]): number {
  const end = plugins.findIndex(({ moment }) => moment === 'judge' || lateMoments.has(moment));
  return plugins.slice(0, end < 0 ? undefined : end).reduce((sum, { ms }) => sum + ms, 0);
}

/** The reason for this attempt, and the delay before it. Null for the first attempt. */
export function causeOf(
  attempt: AttemptRecord,
  before: AttemptRecord | undefined,
): { readonly isRetry: boolean; readonly pause: number } | null {
  if (before === undefined) return null;
  const isRetry = before.target === attempt.target;
  return { isRetry, pause: isRetry ? Math.max(0, attempt.at - before.at - before.total_ms) : 0 };
}

const pluginBar = (plugin: PluginRecord, i: number, from: number): TimelineBar => ({
  key: `${plugin.moment} ${plugin.name} ${i}`,
  name: plugin.name,
  about: plugin.moment,
  ms: plugin.ms,
  segments: [{ kind: 'plugin', from, ms: plugin.ms }],
  step: { kind: 'plugin', plugin },
  attempt: null,
});

/** Shorter gaps are the work of plugins. */
const minPauseMs = 5;

/**
 * Phases of an attempt: delay before a retry, connect, wait for the first byte, time to the first token, rest. A phase that
 * was not measured is part of the next one. The last attempt includes the stream, which lasts until the request ends.
 */
function attemptBar(attempt: AttemptRecord, ofLast: LogRecord['ms'] | null, before: AttemptRecord | undefined): TimelineBar {
  const { n, provider, model, at, connect_ms: connect, first_byte_ms: firstByte, outcome } = attempt;
  const firstEvent = ofLast?.first_event ?? null;
  const total = ofLast !== null && outcome === 'answered' ? Math.max(attempt.total_ms, ofLast.total - at) : attempt.total_ms;
  const ends: readonly (readonly [Segment['kind'], number | null])[] = [
    ['connect', connect],
    ['wait', firstByte],
    ['token', firstEvent === null ? null : firstEvent - at],
    ['stream', total],
  ];
  const cause = causeOf(attempt, before);
  const segments: Segment[] =
    cause === null || cause.pause < minPauseMs ? [] : [{ kind: 'pause', from: at - cause.pause, ms: cause.pause }];
  let reached = 0;
  for (const [kind, end] of ends) {
    if (end === null || end <= reached) continue;
    const to = Math.min(end, total);
    segments.push({ kind, from: at + reached, ms: to - reached });
    reached = to;
  }
  return {
    key: `attempt ${n}`,
    name: model === '' ? provider : `${provider}/${model}`,
    about: cause === null ? '' : cause.isRetry ? 'retry' : 'next target',
    ms: total,
    segments,
    step: { kind: 'attempt', attempt },
    attempt,
  };
}
