import type { LogRow } from '../../core/logs/row.ts';
import { adminClient } from '../admin-client.ts';
import { CommandError, exitCodes } from '../command.ts';
import { type CliIo, terminalWidth } from '../io.ts';
import { type Column, columnsOf, rowsTable } from './columns.ts';
import { linesOf, recordLines, writeLines } from './lines.ts';
import { rowsOf } from './pages.ts';
import { type QueryFlags, queryText } from './query.ts';
import { countOf } from '../flag-values.ts';

export interface SearchFlags extends QueryFlags {
  readonly limit?: string | undefined;
  readonly columns?: string | undefined;
  readonly csv?: boolean | undefined;
}

/** `gateway logs search QUERY`: lists records, newest first. Exit code 1 if nothing is found. */
export async function search(words: readonly string[], flags: SearchFlags, io: CliIo): Promise<number> {
  if (flags.json === true) rejectColumns(flags);
  const columns = columnsOf(flags.columns);
  const limit = countOf('limit', flags.limit, 50);
  const isTable = flags.json !== true && flags.csv !== true;
  let hasMore = false;
  const pages = rowsOf(adminClient(flags, io), queryText(words, flags), limit, () => (hasMore = true));
  const { count, isInterrupted } = isTable
    ? { count: await writeTable(pages, columns, io), isInterrupted: false }
    : await writeLines(linesOf(pages, flags.json === true ? undefined : columns), io);
  if (isInterrupted) return exitCodes.interrupted;
  if (isTable && hasMore) io.stderr.write(`The newest ${limit}; --limit shows more.\n`);
  if (count === 0) io.stderr.write('No request matches.\n');
  return count === 0 ? exitCodes.no : exitCodes.yes;
}

async function writeTable(pages: AsyncIterable<readonly LogRow[]>, columns: readonly Column[], io: CliIo): Promise<number> {
  const rows: LogRow[] = [];
  for await (const page of pages) rows.push(...page);
  if (rows.length > 0) io.stdout.write(rowsTable(rows, columns, terminalWidth(io.stdout)));
  return rows.length;
}

/** @throws CommandError */
function rejectColumns({ columns }: SearchFlags): void {
  if (columns !== undefined)
    throw new CommandError(exitCodes.usage, '--columns has no effect on JSON', 'Leave it out, or write --csv in place of JSON.');
}

export interface ExportFlags extends QueryFlags {
  readonly limit?: string | undefined;
  readonly columns?: string | undefined;
  readonly format?: string | undefined;
  readonly csv?: boolean | undefined;
  readonly full?: boolean | undefined;
}

const maxExported = 10_000_000;
const exported =
  'time,id,status,error,message,end,endpoint,stream,config,provider,model,key,virtual_key,latency,ttft,overhead,tokens_in,tokens_out,cost,finish,cache,attempts,fallback,trace,span,parent,upstream_id,prompt,revision,agent,bytes_in,bytes_out,preview';

/** `gateway logs export QUERY`: prints all matching records as JSON lines or CSV. */
export async function exportLogs(words: readonly string[], flags: ExportFlags, io: CliIo): Promise<number> {
  const format = flags.format ?? 'jsonl';
  if (format !== 'jsonl' && format !== 'csv') throw new CommandError(exitCodes.usage, `"${format}" is not a format; write jsonl or csv`);
  const isCsv = format === 'csv' || flags.csv === true;
  if (!isCsv) rejectColumns(flags);
  if (isCsv && flags.full === true) throw new CommandError(exitCodes.usage, '--full has no effect on CSV', 'Leave out --csv.');
  const columns = isCsv ? columnsOf(flags.columns ?? exported) : undefined;
  const client = adminClient(flags, io);
  const pages = rowsOf(client, queryText(words, flags), countOf('limit', flags.limit, maxExported));
  const { count, isInterrupted } = await writeLines(flags.full === true ? recordLines(pages, client) : linesOf(pages, columns), io);
  if (isInterrupted) return exitCodes.interrupted;
  io.stderr.write(`${count} ${count === 1 ? 'record' : 'records'}\n`);
  return count === 0 ? exitCodes.no : exitCodes.yes;
}
