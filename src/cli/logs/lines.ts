import type { LogRow } from '../../core/logs/row.ts';
import { plural } from '../../core/text/wording.ts';
import type { AdminClient } from '../admin-client.ts';
import { type CliIo, flushed } from '../io.ts';
import { jsonLine } from '../text.ts';
import type { Column } from './columns.ts';
import { csvLine } from './csv.ts';
import { storedRecords } from './pages.ts';

/** Lines of output, page by page. The head of a table is not counted. */
interface OutputLines {
  readonly head: string;
  readonly pages: AsyncIterable<readonly string[]>;
}

type Pages = AsyncIterable<readonly LogRow[]>;

/** @param columns of CSV; undefined for JSON */
export function linesOf(pages: Pages, columns: readonly Column[] | undefined): OutputLines {
  if (columns === undefined) return { head: '', pages: mapped(pages, jsonLine) };
  const line = (row: LogRow): string => csvLine(columns.map((column) => column.value(row)));
  return { head: csvLine(columns.map(({ name }) => name)), pages: mapped(pages, line) };
}

/** Complete records as JSON. */
export const recordLines = (pages: Pages, client: AdminClient): OutputLines => ({ head: '', pages: recordPages(pages, client) });

async function* mapped<T>(pages: AsyncIterable<readonly T[]>, line: (one: T) => string): AsyncIterable<readonly string[]> {
  for await (const page of pages) yield page.map(line);
}

async function* recordPages(pages: Pages, client: AdminClient): AsyncIterable<readonly string[]> {
  for await (const page of pages) {
    const ids = page.map(({ id }) => id);
    for await (const records of storedRecords(client, ids, false)) yield records.map(({ stored }) => jsonLine(stored.record));
  }
}

/**
 * Writes each page when it arrives, and no more than the reader takes, until Ctrl-C. Returns the number of lines without
 * the head.
 */
export async function writeLines(
  { head, pages }: OutputLines,
  io: CliIo,
): Promise<{ readonly count: number; readonly isInterrupted: boolean }> {
  const { promise: interrupted, resolve } = Promise.withResolvers<undefined>();
  const stop = new AbortController();
  const interrupt = (): void => {
    resolve(undefined);
    stop.abort();
  };
  process.once('SIGINT', interrupt);
  try {
    const iterator = pages[Symbol.asyncIterator]();
    for (let count = 0; ; ) {
      // Not awaited after Ctrl-C: the gateway may have stopped responding.
      const next = await Promise.race([iterator.next(), interrupted]);
      if (next === undefined) return interruptedAfter(count, io);
      if (next.done === true) {
        if (count === 0) io.stdout.write(head);
        return { count, isInterrupted: false };
      }
      for (const line of next.value) {
        if (io.stdoutClosed?.aborted === true) return { count, isInterrupted: false };
        // The head comes with the first line: a query that fails prints nothing.
        io.stdout.write(count === 0 ? head + line : line);
        count += 1;
        await flushed(io.stdout, stop.signal);
        if (stop.signal.aborted) return interruptedAfter(count, io);
      }
    }
  } finally {
    process.removeListener('SIGINT', interrupt);
  }
}

function interruptedAfter(count: number, io: CliIo): { readonly count: number; readonly isInterrupted: boolean } {
  io.stderr.write(`interrupted after ${plural(count, 'record')}\n`);
  return { count, isInterrupted: true };
}
