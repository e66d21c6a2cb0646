import type { StoredRecords } from '../../admin/api-types.ts';
import type { AdminClient } from '../admin-client.ts';

/** Number of ids per call. */
const together = 50;

/**
 * Records with these ids, in the same order and in batches. Deleted records are skipped.
 * @param bodies include the request bodies
 */
export async function* storedOf(client: AdminClient, ids: readonly string[], bodies: boolean): AsyncIterable<StoredRecords['records']> {
  for (let at = 0; at < ids.length; ) {
    const asked = ids.slice(at, at + together);
    const { records, next } = await client.post<StoredRecords>('/api/requests/read', { ids: asked, bodies });
    yield records;
    at += next === null ? asked.length : Math.max(1, asked.indexOf(next));
  }
}
