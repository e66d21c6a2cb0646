import type { Feedback, StoredRecord } from '../../core/logs/reader.ts';
import { isCacheHit } from '../../core/logs/row.ts';
import { endings } from '../../core/records/endings.ts';
import type { AttemptRecord, LogRecord, MessageRecord } from '../../core/records/record.ts';
import { printable } from '../../core/text/printable.ts';
import { formatDuration, formatSize } from '../../core/text/units.ts';
import { fittingLength, textWidth } from '../text.ts';

/**
 * Details of one request: its route with reasons, its cost, and the stored data.
 * @param width columns of the terminal
 */
export function recordDetails({ record, feedback }: StoredRecord, width: number): string {
  const lines: (readonly [label: string, text: string])[] = [
    ...routeLines(record),
    ...pluginLines(record),
    ...record.attempts.map((attempt, i) => attemptLine(attempt, record, i)),
    ...(isCacheHit(record) ? [['cache', 'HIT: a stored response, nothing was sent'] as const] : []),
    [at(record.ms.total), `${endings[record.end]} · gateway overhead ${formatDuration(record.ms.overhead)}`],
    ...errorLines(record),
    ...factLines(record),
    ...feedback.map((one): readonly [string, string] => ['feedback', feedbackText(one)]),
  ];
  return headText(record, width) + lines.map(([label, text]) => wrapped(label, printable(text), width)).join('');
}

const labelWidth = 11;

/** Wraps a long line. Continuation lines are indented to the start of the text. */
function wrapped(label: string, text: string, width: number): string {
  const textWidthLeft = Math.max(20, width - labelWidth);
  const out: string[] = [];
  for (let rest = text; rest !== '' || out.length === 0; ) {
    const maxLength = fittingLength(rest, textWidthLeft);
    const space = maxLength === rest.length ? -1 : rest.lastIndexOf(' ', maxLength);
    const end = space > textWidthLeft / 2 ? space : maxLength;
    out.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return out.map((line, i) => `${`${(i === 0 ? label : '').padEnd(labelWidth)}${line}`.trimEnd()}\n`).join('');
}

const at = (ms: number): string => formatDuration(ms);

function headText(record: LogRecord, width: number): string {
  const { config, key, trace, prompt } = record;
  const parts = [
    record.id,
    new Date(record.at).toISOString().replace('T', ' ').replace('Z', ' UTC'),
    String(record.status),
    formatDuration(record.ms.total),
    `${record.method} ${record.path}`,
    ...(config === null ? [] : [`config ${config}@${record.revision}`]),
    ...(prompt === null ? [] : [`prompt ${prompt.id}@${prompt.version}`]),
    ...(key === null ? [] : [`key ${key}`]),
    `trace ${trace.trace_id}`,
    ...spanTexts(trace),
  ];
  let out = '';
  let line = '';
  for (const part of parts.map(printable)) {
    if (line !== '' && textWidth(line) + 3 + textWidth(part) > Math.max(40, width)) {
      out += `${line}\n`;
      line = `  ${part}`;
    } else line += line === '' ? part : `   ${part}`;
  }
  return `${out}${line}\n`;
}

function spanTexts({ span_name: name, span_id: id, parent }: LogRecord['trace']): string[] {
  const own = [name, name === null || id === null ? id : `(${id})`].filter((text) => text !== null);
  return [...(own.length === 0 ? [] : [`span ${own.join(' ')}`]), ...(parent === null ? [] : [`parent span ${parent}`])];
}

function routeLines({ route, overruled }: LogRecord): (readonly [string, string])[] {
  return [
    ...route.map(({ node, strategy, chose, because }): readonly [string, string] => [
      'route',
      `${node}: ${strategy} → target ${chose}: ${because}`,
    ]),
    ...overruled.map(({ choice, value, by }): readonly [string, string] => ['overruled', `${choice}: ${value}, by ${by}`]),
  ];
}

function pluginLines({ plugins, notes }: LogRecord): (readonly [string, string])[] {
  const times = new Map<string, number>();
  for (const { name, ms } of plugins) times.set(name, (times.get(name) ?? 0) + ms);
  const texts = [...times].map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
  return [
    ...(texts.length === 0 ? [] : [['plugins', `${texts.join(' · ')} ms`] as const]),
    ...Object.entries(notes).map(([name, note]) => ['note', `${name}: ${JSON.stringify(note)}`] as const),
  ];
}

function attemptLine(attempt: AttemptRecord, { usage, ms, finish, stream }: LogRecord, i: number): readonly [string, string] {
  const name = attempt.model === '' ? attempt.provider : `${attempt.provider}/${attempt.model}`;
  const seconds = (ms.total - (ms.first_event ?? 0)) / 1000;
  const isLast = attempt.reason === null && attempt.outcome === 'answered';
  const facts = [
    `${attempt.status ?? attempt.outcome}`,
    formatDuration(attempt.total_ms),
    ...(isLast && stream && ms.first_event !== null ? [`ttft ${formatDuration(ms.first_event)}`] : []),
    ...(isLast && usage.source !== 'none' ? [`${usage.completion} tok`] : []),
    ...(isLast && stream && usage.completion > 1 && seconds > 0.05 ? [`${Math.round(usage.completion / seconds)} tok/s`] : []),
    ...(isLast && finish.length > 0 ? [`finish ${finish.join(', ')}`] : []),
    ...(attempt.upstream_id === null ? [] : [`upstream id ${attempt.upstream_id}`]),
    ...(attempt.retry_after_ms === null ? [] : [`retry-after ${formatDuration(attempt.retry_after_ms)}`]),
    ...(attempt.reason === null ? [] : [attempt.reason]),
  ];
  return [at(attempt.at), `${i + 1}. ${name}   ${facts.join(' · ')}`];
}

function errorLines({ error, warnings, dropped }: LogRecord): (readonly [string, string])[] {
  return [
    ...(error === null ? [] : [['error', `${error.code} (${error.source}): ${error.message}`] as const]),
    ...warnings.map((text) => ['warning', text] as const),
    ...dropped.map(({ param, reason }) => ['dropped', `${param}: ${reason}`] as const),
  ];
}

function factLines(record: LogRecord): (readonly [string, string])[] {
  const { usage, cost, metadata, labels, redactions, client } = record;
  const details = [
    ...(usage.cached > 0 ? [`${usage.cached} cached`] : []),
    ...(usage.cache_write > 0 ? [`${usage.cache_write} written to the cache`] : []),
  ];
  const tokens = `${usage.prompt} in${details.length === 0 ? '' : ` (${details.join(', ')})`} → ${usage.completion} out${usage.reasoning > 0 ? ` (${usage.reasoning} reasoning)` : ''}`;
  const masked = Object.entries(redactions).map(([kind, count]) => `${kind} ×${count}`);
  return [
    ...(usage.source === 'none' ? [] : [['tokens', `${tokens}${usage.source === 'estimated' ? ' (estimated)' : ''}`] as const]),
    ['cost', cost.usd === null ? 'unknown price' : `$${cost.usd}${cost.source === null ? '' : ` (${cost.source})`}`],
    ...listLine('metadata', metadata),
    ...listLine('labels', labels),
    ...(client.agent === null && client.ip === null ? [] : [['client', [client.ip, client.agent].filter(Boolean).join(' · ')] as const]),
    ...(record.preview === null ? [] : [['user', record.preview] as const]),
    ['request', bodyText(record.request)],
    ['upstream', bodyText(record.upstream)],
    ['response', bodyText(record.response)],
    ...(masked.length === 0 ? [] : [['masked', masked.join(' · ')] as const]),
  ];
}

function listLine(label: string, values: Readonly<Record<string, unknown>>): (readonly [string, string])[] {
  const texts = Object.entries(values).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return texts.length === 0 ? [] : [[label, texts.join(' · ')]];
}

function bodyText({ body, why_absent: why }: MessageRecord): string {
  if (body === null) return `no body stored: ${why ?? 'unknown'}`;
  if (body.same_as === 'request') {
    const names = Object.keys(body.patch ?? {});
    return names.length === 0 ? 'as the client sent it' : `as the client sent it, but ${names.join(', ')}`;
  }
  return body.kept < body.size ? `${formatSize(body.kept)} of ${formatSize(body.size)} stored` : `${formatSize(body.size)} stored`;
}

const feedbackText = ({ value, weight, at: when, metadata }: Feedback): string =>
  `${value} (weight ${weight}) ${new Date(when).toISOString()}${Object.keys(metadata).length === 0 ? '' : ` ${JSON.stringify(metadata)}`}`;
