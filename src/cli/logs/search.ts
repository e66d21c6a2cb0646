import type { LogRow } from '../../core/logs/row.ts';
import { type AdminClient, adminClient } from '../admin-client.ts';
import { CommandError, exitCodes } from '../command.ts';
import { type CliIo, terminalWidth, written } from '../io.ts';
import { jsonLine } from '../text.ts';
import { type Column, columnsOf, rowsTable } from './columns.ts';
import { csvLine } from './csv.ts';
import { rowsOf } from './pages.ts';
import { storedOf } from './stored.ts';
import { countOf, type QueryFlags, queryText } from './query.ts';

export interface SearchFlags extends QueryFlags {
  readonly limit?: string | undefined;
  readonly columns?: string | undefined;
  readonly csv?: boolean | undefined;
}

/** `gateway logs search QUERY`: lists records, newest first. Exit code 1 if nothing is found. */
export async function search(words: readonly string[], flags: SearchFlags, io: CliIo): Promise<number> {
  if (flags.json === true) withoutColumns(flags);
  const columns = columnsOf(flags.columns);
  const limit = countOf('limit', flags.limit, 50);
  const pages = rowsOf(adminClient(flags, io), queryText(words, flags), limit);
  const count =
    flags.json === true || flags.csv === true
      ? await writeLines(linesOf(pages, flags.json === true ? undefined : columns), io)
      : await writeTable(pages, columns, limit, io);
  if (count === 0) io.stderr.write('No request matches.\n');
  return count === 0 ? exitCodes.no : exitCodes.yes;
}

async function writeTable(pages: Pages, columns: readonly Column[], limit: number, io: CliIo): Promise<number> {
  const rows: LogRow[] = [];
  for await (const page of pages) rows.push(...page);
  if (rows.length > 0) io.stdout.write(rowsTable(rows, columns, terminalWidth(io.stdout)));
  if (rows.length === limit) io.stderr.write(`The newest ${limit}; --limit shows more.\n`);
  return rows.length;
}

type Pages = AsyncIterable<readonly LogRow[]>;
/** Lines of output. The head of a table is not counted. */
interface Lines {
  readonly head: string;
  readonly pages: AsyncIterable<readonly string[]>;
}

/** @param columns of CSV; undefined for JSON */
function linesOf(pages: Pages, columns: readonly Column[] | undefined): Lines {
  if (columns === undefined) return { head: '', pages: mapped(pages, jsonLine) };
  const line = (row: LogRow): string => csvLine(columns.map((column) => column.value(row)));
  return { head: csvLine(columns.map(({ name }) => name)), pages: mapped(pages, line) };
}

async function* mapped<T>(pages: AsyncIterable<readonly T[]>, line: (one: T) => string): AsyncIterable<readonly string[]> {
  for await (const page of pages) yield page.map(line);
}

/** Writes each page when it arrives, and no more than the reader takes. Returns the number of lines without the head. */
async function writeLines({ head, pages }: Lines, { stdout, unread }: CliIo): Promise<number> {
  let count = 0;
  for await (const page of pages) {
    for (const line of page) {
      if (unread?.aborted === true) return count;
      // Not before: a query that fails prints nothing.
      stdout.write(count === 0 ? head + line : line);
      count += 1;
      await written(stdout);
    }
  }
  if (count === 0 && head !== '') stdout.write(head);
  return count;
}

/** @throws CommandError */
function withoutColumns({ columns }: SearchFlags): void {
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

const everything = 10_000_000;
const exported =
  'time,id,status,error,message,end,endpoint,stream,config,provider,model,key,virtual_key,latency,ttft,overhead,tokens_in,tokens_out,cost,finish,cache,attempts,fallback,trace,span,parent,upstream_id,prompt,revision,agent,bytes_in,bytes_out,preview';

/** `gateway logs export QUERY`: prints all matching records as JSON lines or CSV. */
export async function exportLogs(words: readonly string[], flags: ExportFlags, io: CliIo): Promise<number> {
  const format = flags.format ?? 'jsonl';
  if (format !== 'jsonl' && format !== 'csv') throw new CommandError(exitCodes.usage, `"${format}" is not a format; write jsonl or csv`);
  const isCsv = format === 'csv' || flags.csv === true;
  if (!isCsv) withoutColumns(flags);
  if (isCsv && flags.full === true) throw new CommandError(exitCodes.usage, '--full has no effect on CSV', 'Leave out --csv.');
  const columns = isCsv ? columnsOf(flags.columns ?? exported) : undefined;
  const client = adminClient(flags, io);
  const pages = rowsOf(client, queryText(words, flags), countOf('limit', flags.limit, everything));
  const lines = flags.full === true ? { head: '', pages: fullLines(pages, client) } : linesOf(pages, columns);
  const count = await writeLines(lines, io);
  io.stderr.write(`${count} ${count === 1 ? 'record' : 'records'}\n`);
  return count === 0 ? exitCodes.no : exitCodes.yes;
}

async function* fullLines(pages: Pages, client: AdminClient): AsyncIterable<readonly string[]> {
  for await (const page of pages) {
    const ids = page.map(({ id }) => id);
    for await (const records of storedOf(client, ids, false)) yield records.map(({ stored }) => jsonLine(stored.record));
  }
}
