import type { BodyPart, SearchRequest, StatsRequest, SuggestRequest } from '../../../core/logs/reader.ts';
import { bareRecord, bareRow } from '../../../core/logs/contents.ts';
import type { Handlers } from '../asking/calls.ts';
import type { LogQueries } from '../log-store.ts';
import { createQueries } from '../queries/index.ts';
import { QuestionClock, questionMs } from './clock.ts';
import { openSource } from './open-source.ts';
import type { Asked, Database } from './settings.ts';

/** Questions to a database of their own thread or process: the writer never waits for one. */
export function createReader(database: Database): Handlers {
  const clock = new QuestionClock(questionMs, () => performance.now());
  const open = async (): Promise<LogQueries> => {
    const source = await openSource(database);
    return createQueries(source.dialect === 'sqlite' ? { ...source, between: () => clock.between() } : source, Date.now);
  };
  return timed(questionHandlers(open), clock);
}

/** Each question has its own time, whatever was asked before it. */
function timed(handlers: Handlers, clock: QuestionClock): Handlers {
  const begun = Object.entries(handlers).map(([name, handle]) => [
    name,
    (argument: never) => {
      clock.begin();
      return handle(argument);
    },
  ]);
  return Object.fromEntries(begun) as Handlers;
}

/** Results are made JSON where they are found: the event loop that serves requests passes the bytes on. */
export function questionHandlers(open: () => Promise<LogQueries> | LogQueries): Handlers {
  let queries: Promise<LogQueries> | undefined;
  const opened = (): Promise<LogQueries> => {
    queries ??= (async () => open())();
    // One that could not be opened is tried again.
    queries.catch(() => {
      queries = undefined;
    });
    return queries;
  };
  return {
    search: async ({ of, isBare }: Asked<SearchRequest>) => {
      const page = await (await opened()).search(of);
      return json(isBare ? { ...page, rows: page.rows.map(bareRow) } : page);
    },
    get: async ({ of, isBare }: Asked<string>) => {
      const found = await (await opened()).get(of);
      return json(isBare && found !== undefined ? bareRecord(found) : found);
    },
    body: async ({ id, part }: { readonly id: string; readonly part: BodyPart }) => (await opened()).body(id, part),
    trace: async ({ of, isBare }: Asked<string>) => {
      const rows = await (await opened()).trace(of);
      return json(isBare ? rows.map(bareRow) : rows);
    },
    stats: async ({ of }: Asked<StatsRequest>) => json(await (await opened()).stats(of)),
    suggest: async ({ of }: Asked<SuggestRequest>) => json(await (await opened()).suggest(of)),
    names: async () => json(await (await opened()).names()),
  };
}

function json(value: unknown): Uint8Array | undefined {
  return value === undefined ? undefined : new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}
