import { signal } from '@preact/signals';
import type { Role, Session } from '../../api-types.ts';

/** The signed-in user. Undefined until the gateway has responded; `role: null` shows the sign-in page. */
export const session = signal<Session | undefined>(undefined);

/** True if the session ended while a page was open: the sign-in page covers it, and its input is kept. */
export const hasEnded = signal(false);

/** Number of calls that were rejected because of the role: it may have changed, or another tab may have signed in as another user. */
export const rejectedCalls = signal(0);

export function markSessionEnded(): void {
  const role = session.peek()?.role ?? null;
  if (role !== null) hasEnded.value = true;
}

export function setSession(as: Session): void {
  session.value = as;
  hasEnded.value = false;
}

/** Sign-outs, for the other tabs: they share the session. */
const channelName = 'gateway.signed-out';

export function markSignedOut(as: Session): void {
  setSession(as);
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(null);
  channel.close();
}

/** Removes the content of the former user when another tab signs out. @returns ends the subscription */
export function followSignOuts(): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = () => {
    const now = session.peek();
    if (now !== undefined) setSession({ ...now, role: null, name: null });
  };
  return () => channel.close();
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** True if the user has at least this role. The gateway checks it again; this only hides actions that it would reject. */
export const hasRole = (role: Role): boolean => {
  const own = session.value?.role;
  return own !== undefined && own !== null && ranks[own] >= ranks[role];
};
