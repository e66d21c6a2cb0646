import { gzipSync } from 'node:zlib';
import type { BodyPart, JsonForm, SearchRequest, SpentRequest, StatsRequest, SuggestRequest } from '../../../core/logs/reader.ts';
import { recordWithoutContent, rowWithoutContent } from '../../../core/logs/contents.ts';
import { type GatewayError, errorMessage } from '../../../core/error.ts';
import type { ReportProblems, RpcHandlers } from '../rpc/protocol.ts';
import type { LogQueries } from '../log-store.ts';
import { createQueries } from '../queries/index.ts';
import { QueryTimeout, queryTimeoutMs } from './query-timeout.ts';
import { fileIdentity, isCorruptionError } from '../../damage/damaged-file.ts';
import { openSource } from './open-source.ts';
import type { WorkerQuery, LogDatabase } from './settings.ts';
import { asUnavailable } from './unavailable.ts';

/** Size from which a result is compressed, so that the event loop transfers less and a remote client waits less. */
const minCompressedLength = 8 * 1024;

const damagedRecords =
  'Queries found damaged records in the request log: they are shown with the values that filters use. Check the disk of the database.';

/**
 * Queries to a database in a thread or process of their own, so that the writer never waits for one.
 *
 * @param now milliseconds that measure the time of a query to a file
 */
export function createReader(database: LogDatabase, now: () => number, report?: ReportProblems): RpcHandlers {
  // Postgres works in another process, so its time is what passes.
  const timeout = new QueryTimeout(queryTimeoutMs, database.kind === 'postgres' ? () => performance.now() : now);
  const problems = new DamageReport(report);
  const open = async (): Promise<LogQueries> => {
    const source = { ...(await openSource(database, () => timeout.remaining)), reportDamage: () => problems.add(damagedRecords) };
    return createQueries(source.dialect === 'sqlite' ? { ...source, checkTimeLimit: () => timeout.check() } : source, Date.now);
  };
  const currentFileIdentity = database.kind === 'sqlite' ? (): string | undefined => fileIdentity(database.path) : undefined;
  return withTimeout(queryHandlers(open, currentFileIdentity), timeout, problems);
}

const damagedFile = ({ hint = '', cause }: GatewayError): string =>
  `A query found the request log damaged: ${errorMessage(cause)}. ${hint}`;

/** Reports what queries find to be damaged, once each. */
class DamageReport {
  readonly #report: ReportProblems | undefined;
  readonly #found = new Set<string>();

  constructor(report: ReportProblems | undefined) {
    this.#report = report;
  }

  add(found: string): void {
    if (this.#found.has(found)) return;
    this.#found.add(found);
    this.#report?.([...this.#found]);
  }
}

/** Gives each query its own time limit, and converts database errors to errors of the catalog. */
function withTimeout(handlers: RpcHandlers, timeout: QueryTimeout, problems: DamageReport): RpcHandlers {
  const limited = Object.entries(handlers).map(([name, handle]) => [
    name,
    async (argument: never): Promise<unknown> => {
      timeout.begin();
      try {
        return await handle(argument);
      } catch (error) {
        const known = asUnavailable(error);
        if (isCorruptionError(error)) problems.add(damagedFile(known as GatewayError));
        throw known;
      }
    },
  ]);
  return Object.fromEntries(limited) as RpcHandlers;
}

/**
 * Results are serialized to JSON here, so that the event loop that serves requests only forwards the bytes.
 *
 * @param currentFileIdentity identifies the current file (`fileIdentity`)
 */
export function queryHandlers(open: () => Promise<LogQueries> | LogQueries, currentFileIdentity?: () => string | undefined): RpcHandlers {
  let queries: Promise<LogQueries> | undefined;
  let file: string | undefined;
  const currentQueries = async (): Promise<LogQueries> => {
    const now = currentFileIdentity?.();
    if (now !== undefined && now !== file) {
      // The writer has created a new file.
      const before = queries;
      queries = undefined;
      file = now;
      await (await before)?.close();
    }
    queries ??= (async () => open())();
    // If opening failed, the next query tries again.
    queries.catch(() => {
      queries = undefined;
    });
    return queries;
  };
  return {
    search: async ({ of, ...form }: WorkerQuery<SearchRequest>) => {
      const page = await (await currentQueries()).search(of);
      return json(form.isBare === true ? { ...page, rows: page.rows.map(rowWithoutContent) } : page, form);
    },
    get: async ({ of, ...form }: WorkerQuery<string>) => {
      const found = await (await currentQueries()).get(of);
      return json(form.isBare === true && found !== undefined ? recordWithoutContent(found) : found, form);
    },
    body: async ({ id, part }: { readonly id: string; readonly part: BodyPart }) => (await currentQueries()).body(id, part),
    trace: async ({ of, ...form }: WorkerQuery<string>) => {
      const rows = await (await currentQueries()).trace(of);
      return json(form.isBare === true ? rows.map(rowWithoutContent) : rows, form);
    },
    stats: async ({ of, ...form }: WorkerQuery<StatsRequest>) => json(await (await currentQueries()).stats(of), form),
    suggest: async ({ of, ...form }: WorkerQuery<SuggestRequest>) => json(await (await currentQueries()).suggest(of), form),
    names: async (form: JsonForm) => json(await (await currentQueries()).names(), form),
    keysUsed: async (form: JsonForm) => json(await (await currentQueries()).keysUsed(), form),
    spent: async ({ of: { since, keys }, ...form }: WorkerQuery<SpentRequest>) =>
      json(await (await currentQueries()).spent(since, keys), form),
  };
}

function json(value: unknown, { mayPack }: JsonForm): Uint8Array | undefined {
  if (value === undefined) return undefined;
  const text = `${JSON.stringify(value)}\n`;
  if (mayPack === true && text.length >= minCompressedLength) return gzipSync(text, { level: 1 });
  return new TextEncoder().encode(text);
}
