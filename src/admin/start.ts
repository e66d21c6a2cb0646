import type { Server } from 'node:http';
import { createAccess, idleOf } from './auth/access.ts';
import { Sessions } from './auth/sessions.ts';
import { ensureToken } from './auth/token-file.ts';
import { linkUser } from './auth/users.ts';
import { createAdminServer } from './listener.ts';
import { adminRoutes } from './routes/table.ts';
import type { MetricsPage } from '../transport/inbound/metrics-page.ts';
import type { Subject } from './subject.ts';

export interface AdminStart {
  readonly subject: Subject;
  readonly isLoopback: boolean;
  readonly cookieName: string;
  /** Directory of the token for programs; undefined if a token is configured. */
  readonly stateDir: string | undefined;
  readonly metrics: MetricsPage;
  onTokenFault(error: unknown): void;
}

/**
 * Creates the admin server, not listening yet. `link` creates one-time sign-in links; `canSignIn` is true if sign-in is
 * possible without one.
 */
export function startAdmin({ subject, isLoopback, cookieName, stateDir, metrics, onTokenFault }: AdminStart): {
  readonly server: Server;
  link(): string;
  canSignIn(): boolean;
} {
  const now = (): number => performance.now();
  const settings = (): ReturnType<Subject['settings']> => subject.settings();
  const sessions = new Sessions(now, () => idleOf(settings()));
  let ownToken: string | undefined;
  try {
    ownToken = stateDir === undefined ? undefined : ensureToken(stateDir);
  } catch (error) {
    onTokenFault(error);
  }
  const access = createAccess({ settings, isLoopback, ownToken, cookieName, sessions, now });
  return {
    server: createAdminServer({ subject, access, routes: adminRoutes(), metrics, now }),
    link: () => sessions.link(linkUser),
    canSignIn: () => access.users().count > 0 || (settings().open === true && isLoopback),
  };
}
