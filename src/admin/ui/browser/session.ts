import { signal } from '@preact/signals';
import type { Role, Session } from '../../api-types.ts';

/** Undefined until the gateway has said who is here; `role: null` shows the sign-in page. */
export const session = signal<Session | undefined>(undefined);

/** True where the sign-in page comes in between: the session ended while the page was open. */
export const hasEnded = signal(false);

export function sessionEnded(): void {
  const now = session.peek();
  if (now === undefined || now.role === null) return;
  hasEnded.value = true;
  session.value = { ...now, role: null, name: null };
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** True where the person may do what `role` may. The gateway checks again: this only hides what would be refused. */
export const may = (role: Role): boolean => {
  const own = session.value?.role;
  return own !== undefined && own !== null && ranks[own] >= ranks[role];
};
