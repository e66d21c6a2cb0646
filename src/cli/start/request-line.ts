import { styleText } from 'node:util';
import { hopTexts } from '../../core/logs/hops.ts';
import { printable } from '../../core/text/printable.ts';
import type { AttemptRecord, LogRecord, SocketRecord } from '../../core/records/record.ts';
import { formatDuration } from '../../core/text/units.ts';
import { withoutFullStop } from '../../core/text/wording.ts';
import { padEnd } from '../text.ts';

export interface LineStyle {
  readonly colors: boolean;
  /** Time of day for display. */
  clockTime(ms: number): string;
}

const configWidth = 8;
const routeWidth = 40;
const durationWidth = 8;
const numbersWidth = 22;

/**
 * A finished request on one line: time, status, config, route, duration, time to the first event of a stream, tokens
 * (for a WebSocket: close codes and frames), cost if known, key, and the end of the id (its start encodes the time).
 */
export function requestLine(record: LogRecord, style: LineStyle): string {
  const failed = record.error !== null || record.status >= 400;
  const cells = [
    style.clockTime(record.at),
    statusCell(record, style.colors),
    padEnd(printable(record.config ?? '-'), configWidth),
    padEnd(failed ? failure(record) : route(record), routeWidth),
    formatDuration(record.ms.total).padStart(durationWidth),
    numbers(record).padEnd(numbersWidth),
    ...(record.cost.usd === null || record.cost.usd === '0' ? [] : [money(record.cost.usd)]),
    printable(record.key ?? '-'),
    dim(shortId(record.id), style.colors),
  ];
  return cells.join('  ');
}

/** Dollars with four decimals; smaller amounts with the first non-zero digit. */
function money(usd: string): string {
  const amount = Number(usd);
  return `$${amount >= 0.0001 ? amount.toFixed(4) : usd.replace(/^(0\.0*\d).*/, '$1')}`;
}

/** The id shortened to what identifies it: its last ten characters are random. */
function shortId(id: string): string {
  return id.length <= 14 ? id : `${id.slice(0, 4)}…${id.slice(-10)}`;
}

/** For example `openai-main 429 ×2 → azure-eu/gpt-4o-mini`: failed attempts, then the final target. */
function route(record: LogRecord): string {
  const last = record.attempts.at(-1);
  const target = last === undefined ? endpointOf(record) : nameOf(last, record);
  return [...hops(record.attempts.slice(0, -1)), target + ending(record)].join(' → ');
}

/** The failed attempts, followed by the error message. */
function failure(record: LogRecord): string {
  const message = withoutFullStop(printable(record.error?.message ?? `status ${record.status}`));
  const failedAttempts = hops(record.attempts).join(' → ');
  return failedAttempts === '' ? message : `${failedAttempts}: ${message}`;
}

const hops = (attempts: readonly AttemptRecord[]): string[] =>
  hopTexts(attempts.map(({ provider, status, outcome }) => ({ provider: printable(provider), said: String(status ?? outcome) })));

function nameOf(attempt: AttemptRecord, record: LogRecord): string {
  return printable(attempt.model === '' ? `${attempt.provider} ${endpointOf(record)}` : `${attempt.provider}/${attempt.model}`);
}

/** The endpoint, for requests without a model. */
function endpointOf(record: LogRecord): string {
  return printable(record.endpoint === 'relay' ? `${record.method} ${record.path}` : record.endpoint);
}

function ending(record: LogRecord): string {
  if (record.end === 'client_gone') return ' (client disconnected)';
  return record.end === 'drained' ? ' (ended by shutdown)' : '';
}

function numbers(record: LogRecord): string {
  if (record.socket !== null) return socketNumbers(record.socket);
  const first =
    !record.stream || record.attempts.length === 0 || record.ms.first_event === null ? '' : `ttft ${Math.round(record.ms.first_event)}`;
  const { prompt, completion, source } = record.usage;
  const tokens = source === 'none' ? '' : `${source === 'estimated' ? '~' : ''}${prompt}→${completion} tok`;
  return `${first.padEnd(8)}  ${tokens}`;
}

/** Close code of a WebSocket (both codes if the sides sent different ones), and frames in and out. */
function socketNumbers({ close: { client, provider }, frames }: SocketRecord): string {
  return `ws ${client === provider ? client : `${client}/${provider}`}  ${frames.in}→${frames.out} frames`;
}

function statusCell(record: LogRecord, isColored: boolean): string {
  const text = String(record.status);
  if (!isColored) return text;
  const color = record.status >= 500 || record.end === 'fault' ? 'red' : record.status >= 400 ? 'yellow' : 'green';
  return styleText(color, text, { validateStream: false });
}

function dim(text: string, isColored: boolean): string {
  return isColored ? styleText('dim', text, { validateStream: false }) : text;
}

/** Unix time as `09:31:07` in the time zone of the process. */
export function clockTime(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
