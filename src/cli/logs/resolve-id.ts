import { recordHint } from '../../core/logs/not-found.ts';
import type { SearchPage } from '../../core/logs/reader.ts';
import { printable } from '../../core/text/printable.ts';
import type { AdminClient } from '../admin-client.ts';
import { CommandError, exitCodes } from '../command.ts';

/** URL of a request's own page, or of the list with an open request. */
const address = /^https?:\/\/.*(?:\/requests\/|[?&]open=)(req_\w+)/;

/**
 * Resolves the id of a request from the complete id, its beginning or end as shown in lists and on the terminal, or the
 * URL of its page.
 * @throws CommandError
 */
export async function resolveId(named: string, client: AdminClient): Promise<string> {
  const id = address.exec(named)?.[1] ?? named;
  if (/^req_[0-9A-Z]{26}$/i.test(id)) return id;
  const plain = id.replace(/…$/, '');
  const pattern = plain.startsWith('req_') && !plain.includes('…') ? `${plain}*` : `*${plain.replace(/^.*…/, '')}`;
  if (plain === '' || /[\s"]/.test(pattern)) throw new CommandError(exitCodes.usage, `"${printable(id)}" is not an id`);
  const { rows } = await client.get<SearchPage>('/api/requests', { q: `id:${pattern}`, limit: 2 });
  if (rows.length === 1) return rows[0]?.id ?? id;
  throw new CommandError(
    exitCodes.no,
    rows.length === 0 ? `there is no record "${printable(id)}"` : `"${printable(id)}" is the beginning of several ids`,
    rows.length === 0 ? recordHint : 'Write more of it.',
  );
}
