import { printable } from '../../core/text/printable.ts';
import { plural } from '../../core/text/wording.ts';
import { reloadLimitMs, type ReloadVerdict } from '../../admin/api-types.ts';
import { CommandError, exitCodes } from '../command.ts';
import type { CliIo } from '../io.ts';
import { durationOf } from '../flag-values.ts';
import { jsonText } from '../text.ts';
import { adminClient } from '../admin-client.ts';
import { diagnosticLines } from './status.ts';
import type { AdminFlags } from './target.ts';

/** `gateway reload`: reads the files again now, and reports the result. */
export async function reload(flags: AdminFlags, io: CliIo): Promise<number> {
  const verdict = await adminClient(flags, io).post<ReloadVerdict>('/api/reload', {}, reloadLimitMs + 10_000);
  return printVerdict(verdict, { applied: 'config reloaded', rejected: 'config NOT reloaded' }, flags, io);
}

/** `gateway rollback [REV]`: serves an earlier revision until the file changes. */
export async function rollback(revision: string | undefined, flags: AdminFlags, io: CliIo): Promise<number> {
  const verdict = await adminClient(flags, io).post<ReloadVerdict>(
    '/api/rollback',
    revision === undefined ? {} : { revision },
    reloadLimitMs + 10_000,
  );
  return printVerdict(verdict, { applied: 'rolled back, until the file changes', rejected: 'NOT rolled back' }, flags, io);
}

interface VerdictTexts {
  readonly applied: string;
  readonly rejected: string;
}

/** Returns the exit code. */
function printVerdict(verdict: ReloadVerdict, texts: VerdictTexts, flags: AdminFlags, { stdout, stderr }: CliIo): number {
  const code = verdict.result === 'rejected' ? exitCodes.invalid : exitCodes.yes;
  if (flags.json === true) {
    stdout.write(jsonText(verdict));
    return code;
  }
  const { result, revision, changes, restart_needed: restart, reason } = verdict;
  if (result === 'rejected') {
    stderr.write(`${texts.rejected}, revision ${revision} keeps serving${reason === null ? '' : `: ${printable(reason)}`}\n`);
    stderr.write(diagnosticLines(verdict, flags));
    return code;
  }
  const what = result === 'unchanged' ? 'config unchanged' : texts.applied;
  stdout.write(`${what} · revision ${revision}${changes.length === 0 ? '' : ` · ${changes.map(printable).join('  ')}`}\n`);
  if (restart.length > 0) stdout.write(`needs a restart: ${printable(restart.join(', '))}\n`);
  return code;
}

export interface DrainFlags extends AdminFlags {
  readonly timeout?: string;
}

/** `gateway drain`: the gateway accepts no new requests, finishes those in progress, then exits. */
export async function drain(flags: DrainFlags, io: CliIo): Promise<number> {
  const { timeout } = flags;
  const ms = timeout === undefined ? undefined : durationOf('timeout', timeout);
  const client = adminClient(flags, io);
  const { in_flight: inFlight } = await client.post<{ in_flight: number }>('/api/drain', ms === undefined ? {} : { timeout_ms: ms });
  if (typeof inFlight !== 'number') throw new TypeError('the response has no number of requests');
  if (flags.json === true) io.stdout.write(jsonText({ draining: true, in_flight: inFlight }));
  else io.stdout.write(`draining: ${plural(inFlight, 'request')} in progress\n`);
  return exitCodes.yes;
}

/** `gateway dashboard`: prints a link that signs a browser in once. */
export async function dashboard(flags: AdminFlags, io: CliIo): Promise<number> {
  const client = adminClient(flags, io);
  const { link } = await client.post<{ link: string }>('/api/session/link');
  if (typeof link !== 'string') throw new TypeError('the response has no link');
  if (client.shown.startsWith('unix:'))
    throw new CommandError(
      exitCodes.no,
      'browsers cannot connect to a Unix socket: put a proxy in front of it, or set server.admin.listen to a host and port',
    );
  const url = `${client.shown}/#t=${link}`;
  io.stdout.write(flags.json === true ? jsonText({ url }) : `${url}\n`);
  if (flags.json !== true) io.stderr.write('The link works once, within an hour.\n');
  return exitCodes.yes;
}
