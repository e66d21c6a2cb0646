import { adminClient } from '../admin-client.ts';
import { CommandError, exitCodes } from '../command.ts';
import { type CliIo, terminalWidth, written } from '../io.ts';
import { jsonLine } from '../text.ts';
import { columnsOf, rowsTable } from './columns.ts';
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
  const rows = [];
  for await (const page of rowsOf(adminClient(flags, io), queryText(words, flags), limit)) rows.push(...page);
  if (flags.json === true) for (const row of rows) io.stdout.write(jsonLine(row));
  else if (flags.csv === true) {
    io.stdout.write(csvLine(columns.map(({ name }) => name)));
    for (const row of rows) io.stdout.write(csvLine(columns.map((column) => column.value(row))));
  } else if (rows.length > 0) io.stdout.write(rowsTable(rows, columns, terminalWidth(io.stdout)));
  if (rows.length === 0) io.stderr.write('No request matches.\n');
  else if (rows.length === limit && flags.json !== true && flags.csv !== true)
    io.stderr.write(`The newest ${limit}; --limit shows more.\n`);
  return rows.length === 0 ? exitCodes.no : exitCodes.yes;
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
  const columns = columnsOf(flags.columns ?? exported);
  const client = adminClient(flags, io);
  let count = 0;
  const put = async (lines: readonly string[]): Promise<void> => {
    for (const line of lines) {
      count += 1;
      io.stdout.write(line);
      await written(io.stdout);
    }
  };
  if (isCsv) io.stdout.write(csvLine(columns.map(({ name }) => name)));
  for await (const page of rowsOf(client, queryText(words, flags), countOf('limit', flags.limit, everything))) {
    if (io.unread?.aborted === true) break;
    if (flags.full === true) {
      const ids = page.map(({ id }) => id);
      for await (const records of storedOf(client, ids, false))
        await put(records.map(({ stored }) => jsonLine(stored.record)));
    } else await put(page.map((row) => (isCsv ? csvLine(columns.map((column) => column.value(row))) : jsonLine(row))));
  }
  io.stderr.write(`${count} ${count === 1 ? 'record' : 'records'}\n`);
  return count === 0 ? exitCodes.no : exitCodes.yes;
}
