import { GatewayError } from '../../../core/error.ts';
import { parseFilter } from '../../../query/parse.ts';
import { hasRole, type User } from '../../auth/users.ts';

/** True if the user may read texts written by users and models. */
export const mayReadContent = ({ role }: User): boolean => hasRole(role, 'operator');

/**
 * Returns the filter of a call. Words are searched in texts written by users, and the last word may be a prefix: a
 * viewer, who may not read these texts, could find them out letter by letter from the results.
 *
 * @throws GatewayError `not_allowed` for words of a viewer
 */
export function filterOf(user: User, query: URLSearchParams): string {
  const text = query.get('q') ?? '';
  if (text === '' || mayReadContent(user)) return text;
  const parsed = parseFilter(text, Date.now());
  if ('filter' in parsed && parsed.filter.terms.some(({ kind }) => kind === 'words'))
    throw new GatewayError('not_allowed', {
      message: 'Free words search the texts of users, which needs the role operator.',
      hint: 'Name a field, for example id:, trace:, error: or meta.user:.',
      param: 'q',
    });
  return text;
}
