import { plural } from '../../browser/format.ts';
import type { ReloadVerdict } from '../../../api-types.ts';

/** One sentence that describes the result of a reload or rollback. */
export function verdictText({ result, revision, changes }: ReloadVerdict): string {
  if (result === 'rejected') return `Not reloaded: revision ${revision} stays active`;
  if (result === 'unchanged') return `Nothing has changed: revision ${revision} is active`;
  return `Revision ${revision} is active${changes.length === 0 ? '' : `, with ${plural(changes.length, 'change')}`}`;
}
