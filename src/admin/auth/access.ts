import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../core/error.ts';
import { parseDuration } from '../../core/text/units.ts';
import type { AdminEntry } from '../../config/schema/index.ts';
import type { Access } from '../routes/route.ts';
import type { Sessions } from './sessions.ts';
import { SignInThrottle, tooManyFailures } from './sign-in-throttle.ts';
import { openUser, type User, Users } from './users.ts';

export interface AccessOptions {
  /** The current `server.admin`. */
  settings(): AdminEntry;
  /** True if the listener accepts connections only from this machine. */
  readonly isLoopback: boolean;
  /** The token in the state directory. */
  readonly stateDirToken: string | undefined;
  /** Differs per gateway, so that several gateways on one host do not share cookies. */
  readonly cookieName: string;
  readonly sessions: Sessions;
  /** Monotonic time in milliseconds. */
  now(): number;
}

/** Authenticates callers: by token, by session, or everyone on this machine if the configuration permits it. */
export function createAccess(options: AccessOptions): Access {
  const { settings, isLoopback, stateDirToken, cookieName, sessions, now } = options;
  const throttle = new SignInThrottle(now);
  let known: { readonly entry: AdminEntry; readonly users: Users } | undefined;
  const users = (): Users => {
    const entry = settings();
    if (known?.entry !== entry) known = { entry, users: new Users(entry, stateDirToken) };
    return known.users;
  };
  const cookie: Access['cookie'] = {
    read: ({ headers }) => cookieIn(headers.cookie, cookieName),
    write: (id, request) =>
      [
        `${cookieName}=${id ?? ''}`,
        'Path=/',
        'HttpOnly',
        'SameSite=Strict',
        ...(isHttps(request) ? ['Secure'] : []),
        ...(id === undefined ? ['Max-Age=0'] : []),
      ].join('; '),
  };
  const openAccessUser = (): User | undefined => (settings().open === true && isLoopback ? openUser : undefined);
  const currentUser = (user: User): User | undefined => (user.proof === openUser.proof ? openAccessUser() : users().byProof(user));
  const sessionUser = (request: IncomingMessage): User | undefined => {
    const id = cookie.read(request);
    const user = id === undefined ? undefined : sessions.find(id);
    return user === undefined ? undefined : currentUser(user);
  };
  return {
    sessions,
    throttle,
    isLoopback,
    users,
    cookie,
    userOf(request) {
      const token = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1];
      if (token !== undefined) return tokenUser(token, request, throttle, users());
      return sessionUser(request) ?? openAccessUser();
    },
    currentUser: currentUser,
  };
}

function tokenUser(token: string, { socket }: IncomingMessage, throttle: SignInThrottle, users: Users): User {
  const address = socket.remoteAddress ?? '';
  const wait = throttle.waitMs(address, token);
  if (wait > 0) throw tooManyFailures(wait);
  const user = users.byToken(token);
  if (user !== undefined) return user;
  throttle.recordFailure(address, token);
  throw new GatewayError('sign_in_required', {
    message: 'The admin token is not valid.',
    hint: 'It is server.admin.token, or in the file admin-token of the state directory. The CLI reads it from $GATEWAY_ADMIN_TOKEN.',
  });
}

/** Idle timeout of a session, in milliseconds. */
export const sessionIdleMs = ({ session }: AdminEntry): number => parseDuration(session ?? '12h') ?? 12 * 3_600_000;

/** From a proxy's header or the browser's origin. A client that forges it only gets a stricter cookie. */
const isHttps = ({ headers }: IncomingMessage): boolean =>
  headers['x-forwarded-proto'] === 'https' || headers.origin?.startsWith('https://') === true;

function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name && value !== undefined && value !== '') return value;
  }
  return undefined;
}
