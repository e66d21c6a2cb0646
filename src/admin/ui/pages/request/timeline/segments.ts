import type { AttemptRecord, LogRecord, PluginRecord } from '../../../../../core/records/record.ts';

export interface Segment {
  readonly kind: 'plugin' | 'connect' | 'wait' | 'token' | 'stream' | 'total';
  /** Milliseconds from arrival. */
  readonly from: number;
  readonly ms: number;
}

export type Step =
  | { readonly kind: 'plugin'; readonly plugin: PluginRecord }
  | { readonly kind: 'attempt'; readonly attempt: AttemptRecord };

export interface Bar {
  readonly key: string;
  readonly name: string;
  /** In small type behind the name. */
  readonly about: string;
  readonly ms: number;
  readonly segments: readonly Segment[];
  readonly step: Step | null;
  readonly attempt: AttemptRecord | null;
}

/** Moments after the last attempt. */
const late = new Set(['reply', 'settle', 'record']);

/** One bar a plugin, one an attempt, in the order in which they ran. */
export function barsOf(record: LogRecord): readonly Bar[] {
  const bars: Bar[] = [];
  const { attempts } = record;
  const last = attempts.at(-1);
  let next = 0;
  let from = 0;
  // Those that have judged the attempt before: one that judges again does so of the next.
  const judged = new Set<string>();
  const addAttempt = (attempt: AttemptRecord): void => {
    bars.push(attemptBar(attempt, attempt === last ? record.ms : null));
    // It is judged by the head of its response: its stream may last on.
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
      // What was left out is not judged.
      if (judged.size === 0 || judged.has(name)) {
        addAttempts(({ outcome }) => outcome !== 'skipped');
        judged.clear();
      }
      judged.add(name);
    } else if (late.has(moment)) addAttempts(() => false);
    else judged.clear();
    if (moment === 'settle' && last !== undefined) from = Math.max(from, last.at + last.total_ms);
    bars.push(pluginBar(plugin, i, from));
    from += plugin.ms;
  });
  addAttempts(() => false);
  return bars;
}

const pluginBar = (plugin: PluginRecord, i: number, from: number): Bar => ({
  key: `${plugin.moment} ${plugin.name} ${i}`,
  name: plugin.name,
  about: plugin.moment,
  ms: plugin.ms,
  segments: [{ kind: 'plugin', from, ms: plugin.ms }],
  step: { kind: 'plugin', plugin },
  attempt: null,
});

/**
 * Connect, wait for the first byte, to the first token, the rest. What was not measured is part of what follows. The last
 * attempt ends when its provider has answered: the stream behind that lasts until the request ends.
 */
function attemptBar(attempt: AttemptRecord, ofLast: LogRecord['ms'] | null): Bar {
  const { n, provider, model, at, connect_ms: connect, first_byte_ms: firstByte, outcome } = attempt;
  const firstEvent = ofLast?.first_event ?? null;
  const total = ofLast !== null && outcome === 'answered' ? Math.max(attempt.total_ms, ofLast.total - at) : attempt.total_ms;
  const ends: readonly (readonly [Segment['kind'], number | null])[] = [
    ['connect', connect],
    ['wait', firstByte],
    ['token', firstEvent === null ? null : firstEvent - at],
    ['stream', total],
  ];
  const segments: Segment[] = [];
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
    about: '',
    ms: total,
    segments,
    step: { kind: 'attempt', attempt },
    attempt,
  };
}
