import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../src/store/log/postgres/store.ts';
import { createReader } from '../../src/store/log/worker/reader.ts';
import type { SearchRequest } from '../../src/core/logs/reader.ts';
import { skipping } from '../support/skipping.ts';
import { postgresKind } from './stores.ts';

/** What a page or a command shows when Postgres cannot be read: the cause, and what to do. */

const kind = postgresKind();
const password = 'pw-of-reader';

/** Statements before the query, in a session that stays open, and the URL of the query. */
interface Trouble {
  readonly prepare?: string;
  readonly url?: (url: string) => string;
  readonly message: RegExp;
  readonly hint: RegExp;
}

const asReader = (url: string): string => url.replace(/\/\/[^@]*@/, `//reader:${password}@`);

const troubles: Readonly<Record<string, Trouble>> = {
  'a locked table': {
    prepare: 'BEGIN; LOCK TABLE requests',
    message: /^The request log cannot be read: postgres .*: canceling statement due to lock timeout\.$/,
    hint: /Another session locks a table/,
  },
  'a role without rights': {
    prepare: `DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN PASSWORD '${password}'`,
    url: asReader,
    message: /permission denied for table requests\.$/,
    hint: /^Grant the user in logging\.requests\.store all rights/,
  },
  'a deleted table': {
    prepare: 'ALTER TABLE requests RENAME TO others',
    message: /relation "requests" does not exist\.$/,
    hint: /If one was deleted, restore it/,
  },
  'a wrong password': {
    url: (url) => url.replace(/:[^:@]*@/, ':wrong@'),
    message: /password authentication failed for user "postgres"\.$/,
    hint: /^Correct the user or password in logging\.requests\.store/,
  },
  'a server that is down': {
    url: (url) => url.replace(/:\d+\//, ':1/'),
    message: /^The request log cannot be read: postgres .*: connect ECONNREFUSED .*\.$/,
    hint: /^Requests are served; their records wait until the database responds\.$/,
  },
  'a missing database': {
    url: (url) => `${url}x`,
    message: /database "logs\d+x" does not exist\.$/,
    hint: /^Create the database, or correct logging\.requests\.store\./,
  },
};

describe.skipIf(skipping(kind.missing))('a query to a Postgres database in trouble', () => {
  beforeAll(() => kind.start());
  afterAll(() => kind.end());

  it.each(Object.entries(troubles))('reports %s with log_unavailable and what to do', async (_, trouble) => {
    const url = await kind.server().database();
    const store = openPostgresStore(url, { writer: 'one' });
    await store.positions();
    await store.close();
    const session = new pg.Client(url);
    await session.connect();
    try {
      await session.query(trouble.prepare ?? 'SELECT 1');
      const { search } = createReader({ kind: 'postgres', url: trouble.url?.(url) ?? url }, () => 0);
      const request: SearchRequest = { query: '', limit: 1 };
      const error: unknown = await Promise.resolve(search?.({ of: request } as never)).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: 'log_unavailable',
        message: expect.stringMatching(trouble.message) as string,
        hint: expect.stringMatching(trouble.hint) as string,
      });
    } finally {
      await session.end();
    }
  });
});
