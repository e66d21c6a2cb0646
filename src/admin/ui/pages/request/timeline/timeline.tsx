import type { AttemptRecord, LogRecord } from '../../../../../core/records/record.ts';
import { duration } from '../../../browser/format.ts';
import { Badge } from '../../../components/display.tsx';
import { statusLabel } from '../../../log/cells.tsx';
import { type TimelineBar, barsOf, type Segment, type Step } from './segments.ts';

const words: Readonly<Record<Segment['kind'], string>> = {
  plugin: 'plugin',
  pause: 'pause before a retry',
  connect: 'connect',
  wait: 'wait',
  token: 'to the first token',
  stream: 'stream',
  total: 'total',
};
/** For a response that is not streamed. */
const wordsOfWhole = { ...words, token: 'to the body', stream: 'body' };
const wordsOf = ({ stream }: LogRecord): typeof words => (stream ? words : wordsOfWhole);
const legend: readonly Segment['kind'][] = ['plugin', 'pause', 'connect', 'wait', 'token', 'stream'];

interface TimelineProps {
  readonly record: LogRecord;
  readonly step: Step | null;
  readonly onStep: (step: Step | null) => void;
}

/** Plugins and attempts on a common time axis. If a bar is selected, the panes below show that step. */
export function Timeline({ record, step, onStep }: TimelineProps) {
  const bars = barsOf(record);
  const isShown = (kind: Segment['kind']): boolean => bars.some(({ segments }) => segments.some((segment) => segment.kind === kind));
  const whole = Math.max(record.ms.total, ...bars.flatMap(({ segments }) => segments.map(({ from, ms }) => from + ms)), 0.1);
  return (
    <div class="timeline">
      <ol>
        {bars.map((bar) => (
          <BarRow key={bar.key} bar={bar} whole={whole} record={record} isChosen={isSame(bar.step, step)} onStep={onStep} />
        ))}
        <li class="bar-row total">
          <span class="bar-name">
            Total <span class="muted small">overhead {duration(record.ms.overhead)}</span>
          </span>
          <Track segments={[{ kind: 'total', from: 0, ms: record.ms.total }]} whole={whole} names={words} />
          <span class="num nowrap">{duration(record.ms.total)}</span>
        </li>
      </ol>
      {record.attempts.length > 0 && (
        <div class="legend" aria-hidden="true">
          {legend.filter(isShown).map((kind) => (
            <span key={kind} class="row">
              <i class={`swatch seg-${kind}`} />
              {wordsOf(record)[kind]}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

function isSame(one: Step | null, other: Step | null): boolean {
  if (one === null || other === null) return false;
  if (one.kind === 'plugin') return other.kind === 'plugin' && one.plugin === other.plugin;
  return other.kind === 'attempt' && one.attempt === other.attempt;
}

interface BarRowProps {
  readonly bar: TimelineBar;
  readonly whole: number;
  readonly record: LogRecord;
  readonly isChosen: boolean;
  readonly onStep: (step: Step | null) => void;
}

function BarRow({ bar, whole, record, isChosen, onStep }: BarRowProps) {
  const { name, about, ms, segments, step, attempt } = bar;
  const verdict = attempt === null ? verdictOf(name, record) : null;
  return (
    <li>
      <button type="button" class="bar-row" aria-pressed={isChosen} onClick={() => onStep(isChosen ? null : step)}>
        <span class="bar-name">
          {attempt !== null && <AttemptStatus attempt={attempt} record={record} />}
          <span class="cut" title={name}>
            {name}
          </span>
          <span class="muted small">{verdict ?? about}</span>
        </span>
        <Track segments={segments} whole={whole} names={wordsOf(record)} />
        <span class="num nowrap">{duration(ms)}</span>
      </button>
      {attempt?.reason !== null && attempt?.reason !== undefined && <p class="bar-reason muted small">{attempt.reason}</p>}
    </li>
  );
}

/** The outcome of an attempt. For the last one, this includes the end of its stream, which may break after a successful status. */
function AttemptStatus({ attempt, record }: { attempt: AttemptRecord; record: LogRecord }) {
  const { outcome, status } = attempt;
  const end = record.end === 'fault' && attempt === record.attempts.at(-1) ? 'fault' : 'whole';
  const { tone, word } = statusLabel(status ?? 599, end);
  const isBroken = status !== null && status < 400 && end === 'fault';
  return <Badge tone={status === null ? 'bad' : tone}>{isBroken ? `${status} ${word}` : (status ?? outcome)}</Badge>;
}

function Track({ segments, whole, names }: { segments: readonly Segment[]; whole: number; names: typeof words }) {
  return (
    <span class="track">
      {segments.map(({ kind, from, ms }) => (
        <i
          key={kind}
          class={`seg-${kind}`}
          title={`${names[kind]} ${duration(ms)}`}
          style={{ left: `${((100 * from) / whole).toFixed(3)}%`, width: `${((100 * ms) / whole).toFixed(3)}%` }}
        />
      ))}
    </span>
  );
}

/** Short form of a plugin's note, for example the decision of a guardrail. */
function verdictOf(name: string, record: LogRecord): string | null {
  const own = record.guardrails.filter(
    (entry) => typeof entry === 'object' && entry !== null && (entry as { plugin?: unknown }).plugin === name,
  );
  if (own.length === 0) return null;
  const verdicts = own.map((entry) => String((entry as { verdict?: unknown }).verdict ?? ''));
  return verdicts.filter((verdict) => verdict !== '').join(', ');
}
