import type { StoredRecords } from '../../admin/api-types.ts';
import type { AdminClient } from '../admin-client.ts';

/** Ids of one call. */
const together = 50;

/** Records of these ids, in their order and without those that are gone, a few at a time. @param bodies with those of the requests */
export async function* storedOf(client: AdminClient, ids: readonly string[], bodies: boolean): AsyncIterable<StoredRecords['records']> {
  for (let at = 0; at < ids.length; ) {
    const asked = ids.slice(at, at + together);
    const { records, next } = await client.post<StoredRecords>('/api/requests/read', { ids: asked, bodies });
    yield records;
    at += next === null ? asked.length : Math.max(1, asked.indexOf(next));
  }
}
