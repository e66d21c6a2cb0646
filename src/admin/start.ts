import type { Server } from 'node:http';
import { createAccess, sessionIdleMs } from './auth/access.ts';
import { Sessions } from './auth/sessions.ts';
import { ensureToken } from './auth/token-file.ts';
import { linkUser } from './auth/users.ts';
import { createAdminServer } from './listener.ts';
import { adminRoutes } from './routes/table.ts';
import type { MetricsPage } from '../transport/inbound/metrics-page.ts';
import type { ManagedGateway } from './managed-gateway.ts';

export interface AdminStart {
  readonly subject: ManagedGateway;
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
  const settings = (): ReturnType<ManagedGateway['settings']> => subject.settings();
  const sessions = new Sessions(now, () => sessionIdleMs(settings()));
  let stateDirToken: string | undefined;
  try {
    stateDirToken = stateDir === undefined ? undefined : ensureToken(stateDir);
  } catch (error) {
    onTokenFault(error);
  }
  const access = createAccess({ settings, isLoopback, stateDirToken, cookieName, sessions, now });
  return {
    server: createAdminServer({ subject, access, routes: adminRoutes(), metrics, now }),
    link: () => sessions.createLink(linkUser),
    canSignIn: () => access.users().count > 0 || (settings().open === true && isLoopback),
  };
}
