import { sha256 } from '../../core/secrets/sha256.ts';
import type { AdminEntry } from '../../config/schema/index.ts';
import type { Role } from '../api-types.ts';

/** An authenticated user of the admin API. */
export interface User {
  readonly name: string;
  readonly role: Role;
  /** How the user was authenticated: SHA-256 of the token in hex, `link`, or `open`. A session ends when its proof is no longer valid. */
  readonly proof: string;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** True if `role` has the permissions of `required`. */
export const hasRole = (role: Role, required: Role): boolean => ranks[role] >= ranks[required];

/** The user who signed in with the link printed at start: the person at the terminal. */
export const linkUser: User = { name: 'terminal', role: 'admin', proof: 'link' };
export const openUser: User = { name: 'local', role: 'admin', proof: 'open' };

/** Valid tokens, by SHA-256. Comparing hashes reveals nothing about a token by timing. */
export class Users {
  readonly #byHash = new Map<string, User>();

  /** @param stateDirToken the token in the state directory, if `server.admin.token` is not set */
  constructor({ token, users }: AdminEntry, stateDirToken: string | undefined) {
    const main = token ?? stateDirToken;
    if (main !== undefined) this.#add('admin', 'admin', sha256(main));
    for (const [name, user] of Object.entries(users ?? {})) {
      const hash = user.token === undefined ? user.token_hash?.slice('sha256:'.length).toLowerCase() : sha256(user.token);
      if (hash !== undefined) this.#add(name, user.role, hash);
    }
  }

  get count(): number {
    return this.#byHash.size;
  }

  #add(name: string, role: Role, proof: string): void {
    this.#byHash.set(proof, { name, role, proof });
  }

  byToken(token: string): User | undefined {
    return this.#byHash.get(sha256(token));
  }

  /** Returns the session's user as currently configured; undefined if the token was removed. */
  byProof(user: User): User | undefined {
    return user.proof === 'link' ? user : this.#byHash.get(user.proof);
  }
}
