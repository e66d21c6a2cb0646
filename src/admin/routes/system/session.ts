import { GatewayError } from '../../../core/error.ts';
import type { Session } from '../../api-types.ts';
import { tooManyFailures } from '../../auth/sign-in-throttle.ts';
import type { User } from '../../auth/users.ts';
import { type AdminCall, type AdminReply, type AdminRoute, textIn } from '../route.ts';

export const sessionRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/api/session',
    role: 'anyone',
    about: 'The user who is signed in.',
    returns: '`Session`; `role` and `name` are null if nobody is signed in',
    handle: (call) => ({ json: sessionView(call, call.access.userOf(call.request)) }),
  },
  {
    method: 'POST',
    path: '/api/session',
    role: 'anyone',
    about: 'Signs in with a token or with a sign-in link, and sets a cookie.',
    body: { token: 'an admin token', link: 'the part of a sign-in link after `#t=`, instead of a token' },
    returns: '`Session`',
    handle: signIn,
  },
  {
    method: 'DELETE',
    path: '/api/session',
    role: 'anyone',
    about: 'Signs out.',
    returns: '`Session`, with null as `role` and `name`',
    handle: (call) => {
      endSession(call);
      return { json: sessionView(call, undefined), headers: { 'set-cookie': call.access.cookie.write(undefined, call.request) } };
    },
  },
  {
    method: 'POST',
    path: '/api/session/link',
    role: 'admin',
    about: 'Creates a sign-in link for the user who requests it. It works once, within an hour.',
    returns: '`{link}`: the part of the link after `#t=`',
    handle: ({ access, user }) => ({ json: { link: access.sessions.createLink(user) } }),
  },
];

async function signIn(call: AdminCall): Promise<AdminReply> {
  const { access, request } = call;
  const address = request.socket.remoteAddress ?? '';
  const body = await call.body();
  const isLink = body['link'] !== undefined;
  const token = textIn(body, isLink ? 'link' : 'token');
  const wait = access.throttle.waitMs(address, token);
  if (wait > 0) throw tooManyFailures(wait);
  const user = isLink ? byLink(call, token) : access.users().byToken(token);
  if (user === undefined) {
    access.throttle.recordFailure(address, token);
    throw new GatewayError('sign_in_required', {
      message: isLink ? 'The link was used already, or is older than an hour.' : 'The token is not valid.',
      hint: 'gateway dashboard prints a new link. The token is server.admin.token, or in the file admin-token of the state directory.',
    });
  }
  endSession(call);
  return { json: sessionView(call, user), headers: { 'set-cookie': access.cookie.write(access.sessions.begin(user), request) } };
}

/** Ends the session that the browser already has. */
function endSession({ access, request }: AdminCall): void {
  const id = access.cookie.read(request);
  if (id !== undefined) access.sessions.end(id);
}

function byLink({ access }: AdminCall, link: string): User | undefined {
  const user = access.sessions.useLink(link);
  return user === undefined ? undefined : access.currentUser(user);
}

function sessionView({ subject, access }: AdminCall, user: User | undefined): Session {
  const isOpen = subject.settings().open === true && access.isLoopback;
  return { role: user?.role ?? null, name: user?.name ?? null, is_open: isOpen, version: subject.version };
}
