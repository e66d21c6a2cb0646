import type { Diagnosed, Status } from '../../admin/api-types.ts';
import { unknownStore } from '../../core/logs/unknown-store.ts';
import { printable } from '../../core/text/printable.ts';
import { formatAge, formatDuration, formatSize } from '../../core/text/units.ts';
import { plural } from '../../core/text/wording.ts';
import { type CommonFlags, exitCodes, sameFile } from '../command.ts';
import { type CliIo, terminalWidth } from '../io.ts';
import { truncate, jsonText, table } from '../text.ts';
import { adminClient } from '../admin-client.ts';
import type { AdminFlags } from './target.ts';

/** `gateway status`: shows the state of a running gateway. Exit code 1 if its last reload failed. */
export async function status(flags: AdminFlags, io: CliIo): Promise<number> {
  const found = await adminClient(flags, io).get<Status>('/api/status');
  io.stdout.write(flags.json === true ? jsonText(found) : statusText(found, flags, Date.now(), terminalWidth(io.stdout)));
  return found.last_reload?.result === 'rejected' ? exitCodes.no : exitCodes.yes;
}

/** Width of the names on the left, in columns. */
const labelWidth = 12;

/**
 * @param now Unix milliseconds
 * @param width columns of the terminal; provider errors and worker exits are truncated to it
 */
export function statusText(found: Status, flags: CommonFlags, now: number, width = Infinity): string {
  const { memory, store, loop_delay_ms: delay, last_reload: last } = found;
  const rows = [
    [
      'gateway',
      `${found.version} · node ${found.node.replace(/^v/, '')} · pid ${found.pid} · up ${formatDuration(now - found.started_at)}`,
    ],
    ['config', configText(found)],
    ['reload', reloadText(found, now)],
    ...(last?.result === 'rejected' ? diagnosticTexts(last, flags) : []).map((text) => ['', text]),
    ['serving', `${found.url}${found.draining ? '   DRAINING' : ''}`],
    ...found.workers.map((one, at) => [at === 0 ? 'workers' : '', truncate(workerText(one, now), width - labelWidth)]),
    ['requests', `${found.in_flight} in progress · ${plural(found.open_streams, 'open stream')}`],
    ['memory', `${formatSize(memory.rss)} · bodies ${formatSize(memory.bodies)} of ${formatSize(memory.bodies_limit)}`],
    ['event loop', `delay p50 ${formatDuration(delay.p50)} · p99 ${formatDuration(delay.p99)}`],
    ['log', logText(store)],
    ...store.problems.map((problem) => ['', `PROBLEM ${problem}`]),
    ...(found.restart_needed.length === 0 ? [] : [['restart', `needed for ${found.restart_needed.join(', ')}`]]),
    ...found.notes.filter((note) => !store.problems.includes(note)).map((note) => ['note', note]),
  ];
  return table(rows.map((row) => row.map(printable))) + providersText(found, flags, width);
}

function workerText({ worker, pid, state, requests, in_flight: inFlight, ...one }: Status['workers'][number], now: number): string {
  const { memory, loop_delay_ms: delay, restarts, last_end: last } = one;
  return [
    `${worker}: ${pid === null ? '' : `pid ${pid} `}${state}`,
    `${inFlight} in progress`,
    plural(requests, 'request'),
    ...(memory === null ? [] : [formatSize(memory.rss)]),
    ...(delay === null ? [] : [`delay p99 ${formatDuration(delay.p99)}`]),
    ...(last === null ? [] : [`replaced ${plural(restarts, 'time')}, last ${formatAge(last.at, now)}: ${last.why}`]),
  ].join(' · ');
}

function configText({ config_path: path, revision, rolled_back_to: rolledBack }: Status): string {
  const what = `${path ?? 'no file'} · revision ${revision}`;
  return rolledBack === null ? what : `${what} · ROLLED BACK until the file changes`;
}

function reloadText({ last_reload: last }: Status, now: number): string {
  if (last === null) return 'none since the start';
  const ago = formatAge(last.at, now);
  if (last.result !== 'rejected') return `${last.result} ${ago}`;
  return `FAILED ${ago}: revision ${last.revision} keeps serving${last.reason === null ? '' : ` (${last.reason})`}`;
}

/** Each problem on one line. */
const diagnosticTexts = ({ diagnostics, errors, warnings }: Diagnosed, flags: CommonFlags): string[] => [
  ...diagnostics.map(
    ({ file, line, column, level, message, hint }) => `${file}:${line}:${column} ${level}: ${message}${hint === null ? '' : ` (${hint})`}`,
  ),
  ...moreThan(diagnostics.length, errors + warnings, sameFile('gateway check', flags)),
];

/** The line after a list that does not show all. */
const moreThan = (shown: number, total: number, command: string): string[] =>
  total > shown ? [`… and ${total - shown} more: ${command}`] : [];

/** The same as indented lines. */
export const diagnosticLines = (diagnosed: Diagnosed, flags: CommonFlags): string =>
  diagnosticTexts(diagnosed, flags)
    .map((text) => `${' '.repeat(labelWidth)}${printable(text)}\n`)
    .join('');

function logText({ kind, records, bytes, spool, dropped, dropped_bodies: bodies }: Status['store']): string {
  if (kind === 'off') return 'off';
  const lost = dropped === 0 && bodies === 0 ? '' : ` · LOST ${plural(dropped, 'record')}, ${bodies} bodies`;
  const behind = spool.behind_ms > 1000 ? ` · ${formatDuration(spool.behind_ms)} behind` : '';
  const size =
    kind === unknownStore
      ? 'size not known: the store has not reported it yet'
      : `${kind} · ${plural(records, 'record')} · ${formatSize(bytes)}`;
  return `${size} · spool ${formatSize(spool.bytes)} of ${formatSize(spool.limit)}${behind}${lost}`;
}

function providersText({ providers, providers_total: total }: Status, flags: CommonFlags, width: number): string {
  if (providers.length === 0) return '';
  const rows = providers.map(({ slug, state, figures, last_error: error }) => [
    slug,
    state,
    figures.requests === 0 ? '' : `${plural(figures.requests, 'request')} · ${plural(figures.errors, 'error')}`,
    figures.p95 === null ? '' : `p95 ${formatDuration(figures.p95)}`,
    error === null ? '' : `last error: ${error.message}`,
  ]);
  const lines = table([['PROVIDER', 'STATE', 'LAST 5 MINUTES', '', ''], ...rows].map((row) => row.map(printable)))
    .trimEnd()
    .split('\n');
  return `\n${[...lines, ...moreThan(rows.length, total, sameFile('gateway providers list', flags))].map((line) => `${truncate(line, width)}\n`).join('')}`;
}
