import type { SearchPage } from '../../core/logs/reader.ts';
import type { LogRow } from '../../core/logs/row.ts';
import type { AdminClient } from '../admin-client.ts';

const page = 500;

/** Records that match a filter, newest first, page by page. */
export async function* rowsOf(client: AdminClient, q: string, most: number): AsyncIterable<readonly LogRow[]> {
  let before: string | undefined;
  for (let left = most; left > 0; ) {
    const found: SearchPage = await client.get<SearchPage>('/api/requests', { q, before, limit: Math.min(page, left) });
    if (found.rows.length > 0) yield found.rows;
    left -= found.rows.length;
    if (found.next === null) return;
    before = found.next;
  }
}
