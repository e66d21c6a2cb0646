import { styleText } from 'node:util';
import type { LogRow } from '../../core/logs/row.ts';
import { tryParseObject } from '../../core/json/scan.ts';
import { printable } from '../../core/text/printable.ts';
import { formatDuration } from '../../core/text/units.ts';
import { adminClient } from '../admin-client.ts';
import { exitCodes } from '../command.ts';
import { type CliIo, hasColors } from '../io.ts';
import { clockTime } from '../start/request-line.ts';
import { jsonLine, padEnd } from '../text.ts';
import { routeText } from './columns.ts';
import { type QueryFlags, queryText, shareOf } from './query.ts';
import { countOf } from '../flag-values.ts';

export interface TailFlags extends QueryFlags {
  readonly sample?: string | undefined;
  readonly body?: boolean | undefined;
  readonly limit?: string | undefined;
}

/** Maximum bytes that wait for a slow reader of a pipe. Further requests are not printed: the gateway would end a tail that does not read. */
const maxUnreadBytes = 1024 * 1024;

/** `gateway logs tail [QUERY]`: prints requests as they end, until Ctrl-C or the number of `--limit` is reached. */
export async function tail(words: readonly string[], flags: TailFlags, io: CliIo): Promise<number> {
  const share = shareOf('sample', flags.sample);
  const limit = countOf('limit', flags.limit, Number.MAX_SAFE_INTEGER);
  const client = adminClient(flags, io);
  const stop = new AbortController();
  let isInterrupted = false;
  const interrupt = (): void => {
    isInterrupted = true;
    stop.abort();
  };
  process.once('SIGINT', interrupt);
  io.stdoutClosed?.addEventListener('abort', () => stop.abort());
  const isColored = hasColors(io.stdout, io);
  let count = 0;
  let unread = 0;
  const reportUnread = (): void => {
    if (unread > 0)
      io.stderr.write(`${unread} more ${unread === 1 ? 'request was' : 'requests were'} not shown: the output is read too slowly\n`);
    unread = 0;
  };
  try {
    for await (const { event, data } of client.events('/api/live', { q: queryText(words, flags) }, { signal: stop.signal })) {
      if (event === 'ready') io.stderr.write(`following ${client.shown}, Ctrl-C ends it\n`);
      if (event === 'skipped')
        io.stderr.write(`${String(tryParseObject(data)?.['count'] ?? 'some')} more requests were not shown: the limit is 50 per second\n`);
      const row = event === 'message' ? (tryParseObject(data) as LogRow | undefined) : undefined;
      if (row === undefined || !isSampled(row.id, share)) continue;
      if ((io.stdout.writableLength ?? 0) > maxUnreadBytes) {
        unread += 1;
        continue;
      }
      reportUnread();
      io.stdout.write(flags.json === true ? jsonLine(row) : rowLine(row, isColored));
      if (flags.body === true && flags.json !== true && row.preview !== null) io.stdout.write(`          ${printable(row.preview)}\n`);
      count += 1;
      if (count >= limit) break;
    }
  } finally {
    process.removeListener('SIGINT', interrupt);
    stop.abort();
    reportUnread();
  }
  io.stderr.write(`${count} ${count === 1 ? 'request' : 'requests'}\n`);
  return isInterrupted ? exitCodes.interrupted : exitCodes.yes;
}

/** One line in the format of `gateway start`, with the complete id. */
export function rowLine(row: LogRow, isColored: boolean): string {
  const color = row.status >= 500 || row.end === 'fault' ? 'red' : row.status >= 400 ? 'yellow' : 'green';
  const style = (format: 'red' | 'yellow' | 'green' | 'dim', text: string): string =>
    isColored ? styleText(format, text, { validateStream: false }) : text;
  const first = row.ttft === null || !row.stream ? '' : `ttft ${formatDuration(row.ttft)}`;
  const cells = [
    clockTime(row.at),
    style(color, String(row.status)),
    padEnd(printable(row.config ?? '-'), 8),
    padEnd(routeText(row), 40),
    formatDuration(row.latency).padStart(8),
    first.padEnd(11),
    `${row.tokens_in}→${row.tokens_out} tok`.padEnd(14),
    row.cost === null ? '' : `$${row.cost}`,
    printable(row.key ?? '-'),
    style('dim', row.id),
  ];
  return `${cells.filter((cell) => cell !== '').join('  ')}\n`;
}

/** Selects a sample by the last characters of the id, which are random, so that every user gets the same requests. */
function isSampled(id: string, share: number): boolean {
  if (share >= 1) return true;
  let hash = 0;
  for (let i = id.length - 10; i < id.length; i += 1) hash = (Math.imul(hash, 31) + id.charCodeAt(i)) | 0;
  return (hash >>> 0) / 2 ** 32 < share;
}
