import type { Call } from '#core/provider.ts';

/** Ten digits: enough for seconds until the year 2286. */
const end = 9_999_999_999;
/** Characters of a file name that are kept. */
const longest = 200;

/**
 * A folder for what one request makes. The request's id keeps two uploads apart; the time in front of it runs backwards,
 * since object storage lists by name and clients expect the newest first.
 */
export const folderOf = ({ createdAt, id }: Pick<Call, 'createdAt' | 'id'>): string =>
  `${String(end - createdAt).padStart(10, '0')}-${encodeURIComponent(id)}`;

/** The last part of a name that a client sent, as a part of an object's name. */
export function fileNameOf(sent: string | undefined): string {
  const last = (sent ?? '').split(/[/\\]/).at(-1) ?? '';
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  const clean = last.toWellFormed().replaceAll(/[\x00-\x1f\x7f]/g, '');
  const kept = Array.from(clean).slice(-longest).join('');
  return kept === '' || kept === '.' || kept === '..' ? 'file' : kept;
}
