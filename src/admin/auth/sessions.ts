import { randomBytes } from 'node:crypto';
import { sha256 } from '../../core/secrets/sha256.ts';
import type { User } from './users.ts';

interface StoredSession {
  readonly user: User;
  readonly begun: number;
  lastUsedAt: number;
}

/** Maximum number of sessions. More are a mistake or an attack: the one idle longest is removed. */
const maxSessions = 256;
/** Maximum lifetime of a session, even if it is in use, in milliseconds. */
const maxLifetimeMs = 30 * 24 * 3_600_000;
/** Maximum number of unused sign-in links. */
const maxLinks = 16;
const linkMs = 3_600_000;

/** Browser sessions, in memory: a restart ends them. IDs are stored as hashes. */
export class Sessions {
  readonly #byId = new Map<string, StoredSession>();
  readonly #links = new Map<string, { readonly user: User; readonly until: number }>();
  readonly #now: () => number;
  readonly #idleMs: () => number;

  /**
   * @param now monotonic milliseconds
   * @param idleMs idle timeout of a session
   */
  constructor(now: () => number, idleMs: () => number) {
    this.#now = now;
    this.#idleMs = idleMs;
  }

  /** @returns the session ID for the cookie */
  begin(user: User): string {
    const id = randomBytes(32).toString('base64url');
    const now = this.#now();
    this.#byId.set(sha256(id), { user, begun: now, lastUsedAt: now });
    for (const oldest of this.#byId.keys()) {
      if (this.#byId.size <= maxSessions) break;
      this.#byId.delete(oldest);
    }
    return id;
  }

  find(id: string): User | undefined {
    const key = sha256(id);
    const session = this.#byId.get(key);
    if (session === undefined) return undefined;
    const now = this.#now();
    this.#byId.delete(key);
    if (now - session.lastUsedAt > this.#idleMs() || now - session.begun > maxLifetimeMs) return undefined;
    session.lastUsedAt = now;
    // Re-inserted at the end: the first entry of the map is the session idle longest.
    this.#byId.set(key, session);
    return session.user;
  }

  end(id: string): void {
    this.#byId.delete(sha256(id));
  }

  /** Returns a token for one sign-in within an hour. */
  createLink(user: User): string {
    const token = randomBytes(24).toString('base64url');
    this.#links.set(sha256(token), { user, until: this.#now() + linkMs });
    for (const oldest of this.#links.keys()) {
      if (this.#links.size <= maxLinks) break;
      this.#links.delete(oldest);
    }
    return token;
  }

  /** Consumes a link. @returns the user who created it; undefined if the link is unknown, used or expired */
  useLink(token: string): User | undefined {
    const key = sha256(token);
    const link = this.#links.get(key);
    this.#links.delete(key);
    return link !== undefined && this.#now() <= link.until ? link.user : undefined;
  }
}
