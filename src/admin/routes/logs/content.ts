import { GatewayError } from '../../../core/error.ts';
import { parseFilter } from '../../../query/parse.ts';
import { includes, type User } from '../../auth/users.ts';

/** Reads what users and models wrote. */
export const seesContent = ({ role }: User): boolean => includes(role, 'operator');

/**
 * The filter of a call. Words are looked for in what users wrote, and the last one may be a beginning: who may not read it
 * could spell it out, letter by letter, from what is found.
 *
 * @throws GatewayError `not_allowed` for words of a viewer
 */
export function filterOf(user: User, query: URLSearchParams): string {
  const text = query.get('q') ?? '';
  if (text === '' || seesContent(user)) return text;
  const parsed = parseFilter(text, Date.now());
  if ('filter' in parsed && parsed.filter.terms.some(({ kind }) => kind === 'words'))
    throw new GatewayError('not_allowed', {
      message: 'Words are searched in what users wrote, which needs the role operator.',
      hint: 'Name a field, for example id:, trace:, error: or meta.user:.',
      param: 'q',
    });
  return text;
}
