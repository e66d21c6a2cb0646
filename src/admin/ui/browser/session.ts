import { signal } from '@preact/signals';
import type { Role, Session } from '../../api-types.ts';

/** Undefined until the gateway has said who is here; `role: null` shows the sign-in page. */
export const session = signal<Session | undefined>(undefined);

/** True where the sign-in page lies over the page: the session ended while it was open, and what was written on it is kept. */
export const hasEnded = signal(false);

export function sessionEnded(): void {
  const role = session.peek()?.role ?? null;
  if (role !== null) hasEnded.value = true;
}

export function signedIn(as: Session): void {
  session.value = as;
  hasEnded.value = false;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** True where the person may do what `role` may. The gateway checks again: this only hides what would be refused. */
export const may = (role: Role): boolean => {
  const own = session.value?.role;
  return own !== undefined && own !== null && ranks[own] >= ranks[role];
};
