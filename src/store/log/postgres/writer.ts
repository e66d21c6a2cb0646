import { tryParseObject } from '../../../core/json/scan.ts';
import { dayOf } from '../../../core/logs/day.ts';
import { toRow } from '../../../core/logs/row.ts';
import { searchTextOf } from '../../../query/match.ts';
import { toStorable } from '../../../query/text.ts';
import { FiguresBuilder, TrackedValues } from '../figures.ts';
import type { Batch, StoredEntry } from '../log-store.ts';
import { requestColumns, seqRangeEnd, seqRangeStart, seqStep, storedAt } from '../schema.ts';
import { costOf, type StoredRow } from '../stored-row.ts';
import { addFigures } from './buckets.ts';
import { type PostgresClient, isTimeoutError, type PostgresSession, type Value } from './client.ts';
import { writerLock } from './locks.ts';
import { Partitions } from './partitions.ts';
import { addSpending } from './spending.ts';

/** SQLSTATE for a row that belongs to no partition. */
const missingPartition = '23514';
/** Maximum bytes of bodies in one statement. */
const bytesOfStatement = 4 * 1024 * 1024;

/** Records of a transaction above which their number is not limited any more. */
const unlimitedFrom = 10_000;

const names = ['seq', ...requestColumns.map(({ name }) => name), 'words'].map((name) => `"${name}"`).join(', ');

interface PendingRow {
  readonly entry: StoredEntry;
  readonly row: StoredRow;
  readonly words: string;
  readonly cost: bigint | null;
  readonly at: number;
  seq: number;
}

/** Writes batches, each in one transaction, or in several if the server is slow. Calls must not overlap. */
export class PostgresBatchWriter {
  readonly #client: PostgresClient;
  readonly #writer: string;
  readonly #limitMs: number;
  readonly #partitions: Partitions;
  readonly #trackedValues = new TrackedValues();
  /** Number of the next row within its millisecond. It begins at random, so that gateways rarely choose the same number. */
  #number = Math.floor(Math.random() * seqStep);

  /** Maximum records of a transaction: halved when one takes too long. */
  #maxRecords = Number.POSITIVE_INFINITY;

  /** @param limitMs milliseconds for a batch */
  constructor(client: PostgresClient, writer: string, limitMs: number) {
    this.#client = client;
    this.#writer = writer;
    this.#limitMs = limitMs;
    this.#partitions = new Partitions(client);
  }

  /** @throws Error of the server; then positions and amendments are not stored, and of the records none or the first ones */
  async write(batch: Batch): Promise<void> {
    const until = performance.now() + this.#limitMs;
    let { records } = batch;
    while (records.length > this.#maxRecords) {
      await this.#writePart({ records: records.slice(0, this.#maxRecords), amendments: [], positions: [], deletedSegments: [] }, until);
      records = records.slice(this.#maxRecords);
    }
    await this.#writePart({ ...batch, records }, until);
    this.#maxRecords = this.#maxRecords > unlimitedFrom ? Number.POSITIVE_INFINITY : this.#maxRecords * 2;
  }

  async #writePart(batch: Batch, until: number): Promise<void> {
    try {
      await this.#writeTransaction(batch, until);
    } catch (error) {
      if (isTimeoutError(error) && batch.records.length > 0) this.#maxRecords = Math.ceil(batch.records.length / 2);
      throw error;
    }
  }

  async #writeTransaction(batch: Batch, until: number): Promise<void> {
    const entries = batch.records.map((entry) => pendingRowOf(entry));
    const days = new Set(entries.map(({ at }) => dayOf(at)));
    const attempt = async (): Promise<void> => {
      await this.#partitions.ensure(days);
      await this.#client.transaction((session) => this.#writeBatch(session, batch, entries), { until });
    };
    try {
      await attempt();
    } catch (error) {
      this.#partitions.clearCache();
      // Retention has deleted the partition of a day that was cached.
      if ((error as { code?: unknown }).code !== missingPartition) throw error;
      await attempt();
    }
  }

  async #writeBatch(session: PostgresSession, batch: Batch, entries: readonly PendingRow[]): Promise<void> {
    await session.query(writerLock, [this.#writer]);
    const fresh = await withoutStored(session, entries);
    await this.#insertRequests(session, fresh);
    await insertRecords(session, fresh);
    await insertTags(session, fresh);
    const figures = new FiguresBuilder(this.#trackedValues);
    for (const { row, cost } of fresh) figures.add(row, cost);
    await addFigures(session, this.#writer, figures.values());
    await addSpending(session, this.#writer, figures.spending());
    await storeKeyUse(session, this.#writer, fresh);
    for (const amendment of batch.amendments) await amend(session, amendment);
    for (const { segment, offset } of batch.positions) {
      const upsert = 'ON CONFLICT (writer, segment) DO UPDATE SET "offset" = excluded."offset"';
      await session.query(`INSERT INTO positions (writer, segment, "offset") VALUES ($1, $2, $3) ${upsert}`, [
        this.#writer,
        segment,
        offset,
      ]);
    }
    if (batch.deletedSegments.length > 0) {
      await session.query('DELETE FROM positions WHERE writer = $1 AND segment = ANY($2)', [this.#writer, batch.deletedSegments]);
    }
  }

  /** A row whose number another gateway already used gets the next one. */
  async #insertRequests(session: PostgresSession, entries: readonly PendingRow[]): Promise<void> {
    let left = entries;
    for (let tries = 0; left.length > 0; tries += 1) {
      const taken = new Set<number>();
      const tried: PendingRow[] = [];
      for (const entry of left) {
        entry.seq = seqRangeStart(entry.at, tries) + this.#next();
        if (taken.has(entry.seq)) continue;
        taken.add(entry.seq);
        tried.push(entry);
      }
      // Use one order for all gateways: two that wait for each other's numbers would deadlock.
      tried.sort((one, other) => one.seq - other.seq);
      // The cost as text, because not every JSON reader supports integers of this size.
      const rows = tried.map(({ row, words, cost, seq }) => ({ ...row, words, cost: cost?.toString(), seq }));
      const stored = await session.query(
        `INSERT INTO requests (${names}) SELECT ${names} FROM json_populate_recordset(NULL::requests, $1::json) ON CONFLICT (seq) DO NOTHING RETURNING seq`,
        [JSON.stringify(rows)],
      );
      const seqs = new Set(stored.map(({ seq }) => Number(seq)));
      const isStored = new Set(tried.filter(({ seq }) => seqs.has(seq)));
      left = left.filter((entry) => !isStored.has(entry));
    }
  }

  #next(): number {
    this.#number = (this.#number + 1) % seqStep;
    return this.#number;
  }
}

/** @throws DamagedFrame before a transaction begins: the client would take it for an error of the connection */
function pendingRowOf(entry: StoredEntry): PendingRow {
  const { row } = entry;
  return { entry, row, words: searchTextOf(toRow(entry.record)), cost: costOf(row), at: storedAt(row.at), seq: 0 };
}

/** Removes records that are already stored. A record's arrival never changes, and neither does its range of numbers. */
async function withoutStored(session: PostgresSession, entries: readonly PendingRow[]): Promise<PendingRow[]> {
  if (entries.length === 0) return [];
  const first = entries.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const last = entries.reduce((most, { at }) => Math.max(most, at), 0);
  const ids = entries.map(({ row }) => row.id);
  const found = await session.query('SELECT id FROM requests WHERE seq >= $1 AND seq < $2 AND id = ANY($3)', [
    first * seqStep,
    seqRangeEnd(last),
    ids,
  ]);
  const known = new Set(found.map(({ id }) => String(id)));
  return entries.filter(({ row: { id } }) => {
    if (known.has(id)) return false;
    known.add(id);
    return true;
  });
}

async function insertRecords(session: PostgresSession, entries: readonly PendingRow[]): Promise<void> {
  if (entries.length === 0) return;
  const records = entries.map(({ seq, entry }) => ({ seq, json: JSON.stringify(entry.record) }));
  await session.query('INSERT INTO records (seq, json) SELECT seq, json FROM json_populate_recordset(NULL::records, $1::json)', [
    JSON.stringify(records),
  ]);
  let values: Value[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (values.length === 0) return;
    const rows = Array.from({ length: values.length / 4 }, (_, i) => `($${i * 4 + 1}, $${i * 4 + 2}, $${i * 4 + 3}, $${i * 4 + 4})`);
    await session.query(`INSERT INTO bodies (seq, request, upstream, response) VALUES ${rows.join(', ')}`, values);
    values = [];
    bytes = 0;
  };
  for (const { seq, entry } of entries) {
    const { request, upstream, response } = entry.bodies;
    if (request === undefined && upstream === undefined && response === undefined) continue;
    values.push(seq, request ?? null, upstream ?? null, response ?? null);
    bytes += (request?.length ?? 0) + (upstream?.length ?? 0) + (response?.length ?? 0);
    if (bytes >= bytesOfStatement || values.length >= 4000) await flush();
  }
  await flush();
}

/** Stores the last use of secrets, separately for each gateway, so that none waits for the transaction of another. */
async function storeKeyUse(session: PostgresSession, writer: string, entries: readonly PendingRow[]): Promise<void> {
  const used = new Map<string, number>();
  for (const { row, at } of entries) {
    const { key_id: key } = row;
    if (key) used.set(key, Math.max(at, used.get(key) ?? 0));
  }
  if (used.size === 0) return;
  await session.query(
    `INSERT INTO keys_used (key_id, writer, at) SELECT u.key_id, $2, u.at FROM json_to_recordset($1::json) AS u(key_id text, at bigint)
     ON CONFLICT (key_id, writer) DO UPDATE SET at = greatest(keys_used.at, excluded.at)`,
    [JSON.stringify([...used].map(([key, at]) => ({ key_id: key, at }))), writer],
  );
}

async function insertTags(session: PostgresSession, entries: readonly PendingRow[]): Promise<void> {
  const tags = entries.flatMap(({ seq, row: { meta, label } }) =>
    Object.entries({ meta, label }).flatMap(([kind, texts]) => Object.entries(texts).map(([name, value]) => ({ kind, name, value, seq }))),
  );
  if (tags.length === 0) return;
  await session.query(
    'INSERT INTO tags (kind, name, value, seq) SELECT kind, name, value, seq FROM json_populate_recordset(NULL::tags, $1::json) ON CONFLICT DO NOTHING',
    [JSON.stringify(tags)],
  );
}

/** An amendment whose record is missing or was deleted changes nothing. */
async function amend(session: PostgresSession, { id, end }: Batch['amendments'][number]): Promise<void> {
  const [found] = await session.query('SELECT r.seq, c.json FROM requests r JOIN records c ON c.seq = r.seq WHERE r.id = $1', [
    toStorable(id),
  ]);
  const record = typeof found?.json === 'string' ? tryParseObject(found.json) : undefined;
  if (found === undefined || record === undefined) return;
  const seq = Number(found.seq);
  const amended = {
    ...record,
    end: end.end,
    ms: { ...(record.ms as object), total: end.total },
    bytes: { ...(record.bytes as object), out: end.out },
  };
  await session.query('UPDATE records SET json = $2 WHERE seq = $1', [seq, JSON.stringify(amended)]);
  await session.query('UPDATE requests SET "end" = $2, latency = $3 WHERE seq = $1', [seq, end.end, end.total]);
}
