import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../../core/error.ts';
import type { LogRow } from '../../../core/logs/row.ts';
import { readFilter } from '../../../query/read-filter.ts';
import { matcher } from '../../../query/match.ts';
import { streamRows } from '../../live/stream.ts';
import type { User } from '../../auth/users.ts';
import type { Access, AdminCall, AdminReply, AdminRoute } from '../route.ts';
import { filterOf, mayReadContent } from './content.ts';

/** Maximum number of concurrent readers, of all users and of one. */
const maxReaders = { total: 32, perUser: 8 } as const;

export function liveRoutes(): readonly AdminRoute[] {
  const boot = randomBytes(4).toString('hex');
  return [
    {
      method: 'GET',
      path: '/api/live',
      role: 'viewer',
      about:
        'New records as server-sent events. Each message is a `LogRow`. The event `skipped` with `{count}` reports rows that were left out because there were more than 50 within a second. `gap` reports that rows were missed before a reconnect with `last-event-id`, which are not sent. `beat` is sent every 15 seconds.',
      query: { q: 'a filter', last: 'the id of the last event, instead of the header `last-event-id`' },
      returns: 'a stream of events',
      limitMs: 0,
      handle: (call) => live(call, boot),
    },
  ];
}

function live({ subject, access, query, request, user, signal }: AdminCall, boot: string): AdminReply {
  const { hub } = subject;
  if (hub.readers >= maxReaders.total) throw tooManyReaders(`The live log already has ${maxReaders.total} readers.`);
  if (hub.readersOf(user.proof) >= maxReaders.perUser)
    throw tooManyReaders(`"${user.name}" already reads the live log ${maxReaders.perUser} times.`);
  const header = request.headers['last-event-id'];
  const lastId = (typeof header === 'string' ? header : query.get('last')) ?? undefined;
  const options = {
    hub,
    owner: user.proof,
    boot,
    matches: matcherOf(filterOf(user, query)),
    isBare: !mayReadContent(user),
    mask: () => subject.mask(),
    isStillAuthorized: () => isStillAuthorized(user, access, request),
    lastId,
    signal,
  };
  return { stream: (response) => streamRows(response, options) };
}

const tooManyReaders = (message: string): GatewayError => new GatewayError('rate_limited', { message, hint: 'Close one of them.' });

/** True if the request is still authorized as the same user and role. A token that was removed makes `userOf` throw. */
function isStillAuthorized({ name, role }: User, access: Access, request: IncomingMessage): boolean {
  try {
    const now = access.userOf(request);
    return now?.name === name && now.role === role;
  } catch {
    return false;
  }
}

/** @throws GatewayError `invalid_filter` */
function matcherOf(text: string): (row: LogRow) => boolean {
  if (text.trim() === '') return () => true;
  return matcher(readFilter(text, Date.now()));
}
