import type { StoredRecords } from '../../admin/api-types.ts';
import type { SearchPage } from '../../core/logs/reader.ts';
import type { LogRow } from '../../core/logs/row.ts';
import type { AdminClient } from '../admin-client.ts';

const pageSize = 500;

/**
 * Records that match a filter, newest first, page by page.
 * @param onMore called at the limit if more records match
 */
export async function* rowsOf(client: AdminClient, q: string, limit: number, onMore?: () => unknown): AsyncIterable<readonly LogRow[]> {
  let before: string | undefined;
  for (let remaining = limit; remaining > 0; ) {
    const found: SearchPage = await client.get<SearchPage>('/api/requests', { q, before, limit: Math.min(pageSize, remaining) });
    if (found.rows.length > 0) yield found.rows;
    remaining -= found.rows.length;
    if (found.next === null) return;
    before = found.next;
  }
  onMore?.();
}

/** Number of ids per call. */
const batchSize = 50;

/**
 * Records with these ids, in the same order and in batches. Deleted records are skipped.
 * @param bodies include the request bodies
 */
export async function* storedRecords(
  client: AdminClient,
  ids: readonly string[],
  bodies: boolean,
): AsyncIterable<StoredRecords['records']> {
  for (let at = 0; at < ids.length; ) {
    const batch = ids.slice(at, at + batchSize);
    const { records, next } = await client.post<StoredRecords>('/api/requests/read', { ids: batch, bodies });
    yield records;
    at += next === null ? batch.length : Math.max(1, batch.indexOf(next));
  }
}
