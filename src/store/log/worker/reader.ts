import { gzipSync } from 'node:zlib';
import type { BodyPart, JsonForm, SearchRequest, StatsRequest, SuggestRequest } from '../../../core/logs/reader.ts';
import { bareRecord, bareRow } from '../../../core/logs/contents.ts';
import type { RpcHandlers } from '../rpc/protocol.ts';
import type { LogQueries } from '../log-store.ts';
import { createQueries } from '../queries/index.ts';
import { QuestionClock, questionMs } from './clock.ts';
import { fileAt } from '../../damaged-file.ts';
import { openSource } from './open-source.ts';
import type { Question, Database } from './settings.ts';
import { asUnavailable } from './unavailable.ts';

/** Size from which a result is compressed, so that the event loop transfers less and a remote client waits less. */
const leastPacked = 8 * 1024;

/**
 * Queries to a database in a thread or process of their own, so that the writer never waits for one.
 *
 * @param now milliseconds that measure the time of a query
 */
export function createReader(database: Database, now: () => number): RpcHandlers {
  const clock = new QuestionClock(questionMs, now);
  const open = async (): Promise<LogQueries> => {
    const source = await openSource(database);
    return createQueries(source.dialect === 'sqlite' ? { ...source, between: () => clock.between() } : source, Date.now);
  };
  const fileNow = database.kind === 'sqlite' ? (): string | undefined => fileAt(database.path) : undefined;
  return timed(questionHandlers(open, fileNow), clock);
}

/** Gives each query its own time limit, and converts database errors to errors of the catalog. */
function timed(handlers: RpcHandlers, clock: QuestionClock): RpcHandlers {
  const limited = Object.entries(handlers).map(([name, handle]) => [
    name,
    async (argument: never): Promise<unknown> => {
      clock.begin();
      try {
        return await handle(argument);
      } catch (error) {
        throw asUnavailable(error);
      }
    },
  ]);
  return Object.fromEntries(limited) as RpcHandlers;
}

/**
 * Results are serialized to JSON here, so that the event loop that serves requests only forwards the bytes.
 *
 * @param fileNow identifies the current file (`fileAt`)
 */
export function questionHandlers(open: () => Promise<LogQueries> | LogQueries, fileNow?: () => string | undefined): RpcHandlers {
  let queries: Promise<LogQueries> | undefined;
  let file: string | undefined;
  const opened = async (): Promise<LogQueries> => {
    const now = fileNow?.();
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
    search: async ({ of, ...form }: Question<SearchRequest>) => {
      const page = await (await opened()).search(of);
      return json(form.isBare === true ? { ...page, rows: page.rows.map(bareRow) } : page, form);
    },
    get: async ({ of, ...form }: Question<string>) => {
      const found = await (await opened()).get(of);
      return json(form.isBare === true && found !== undefined ? bareRecord(found) : found, form);
    },
    body: async ({ id, part }: { readonly id: string; readonly part: BodyPart }) => (await opened()).body(id, part),
    trace: async ({ of, ...form }: Question<string>) => {
      const rows = await (await opened()).trace(of);
      return json(form.isBare === true ? rows.map(bareRow) : rows, form);
    },
    stats: async ({ of, ...form }: Question<StatsRequest>) => json(await (await opened()).stats(of), form),
    suggest: async ({ of, ...form }: Question<SuggestRequest>) => json(await (await opened()).suggest(of), form),
    names: async (form: JsonForm) => json(await (await opened()).names(), form),
    keysUsed: async (form: JsonForm) => json(await (await opened()).keysUsed(), form),
  };
}

function json(value: unknown, { mayPack }: JsonForm): Uint8Array | undefined {
  if (value === undefined) return undefined;
  const text = `${JSON.stringify(value)}\n`;
  if (mayPack === true && text.length >= leastPacked) return gzipSync(text, { level: 1 });
  return new TextEncoder().encode(text);
}
