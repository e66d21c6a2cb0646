import { GatewayError } from '../core/error.ts';
import type { Admitted } from '../core/context.ts';
import type { ApiKey, Snapshot } from '../core/snapshot.ts';
import type { OpenSocket } from '../pipeline/handle-deps.ts';
import type { TimeoutGroup, TimerWheel } from '../transport/wire/timer-wheel.ts';

/** The key of a WebSocket, and the snapshot that accepted it. */
interface Access {
  readonly key: ApiKey;
  readonly snapshot: Snapshot;
}

/**
 * Ends WebSockets whose API key is no longer valid. Any other request ends by its timeouts, but a WebSocket can send requests as
 * long as it is open.
 */
export class SocketKeys implements TimeoutGroup {
  readonly everyMs = 1000;
  readonly #open = new Map<OpenSocket, Access>();
  readonly #wheel: TimerWheel;
  readonly #current: () => Snapshot;
  readonly #now: () => number;

  constructor(wheel: TimerWheel, current: () => Snapshot, now: () => number) {
    this.#wheel = wheel;
    this.#current = current;
    this.#now = now;
  }

  add(socket: OpenSocket, { facts, snapshot }: Pick<Admitted, 'facts' | 'snapshot'>): void {
    const { key } = facts.caller;
    if (key === undefined) return;
    this.#open.set(socket, { key, snapshot });
    this.#wheel.add(this);
  }

  check(): boolean {
    const current = this.#current();
    const now = this.#now();
    for (const [socket, access] of this.#open) {
      const fault = keyFault(access, current, now);
      if (fault !== undefined) socket.stop(fault, 'fault');
      if (fault !== undefined || socket.index === undefined) this.#open.delete(socket);
    }
    return this.#open.size > 0;
  }

  close(): void {
    this.#wheel.delete(this);
  }
}

/** Why a key is no longer valid. */
function keyFault({ key, snapshot }: Access, current: Snapshot, now: number): GatewayError | undefined {
  // A token has no entry among the keys: only the times of its rules are known.
  const isListed = current !== snapshot && entryOf(key, snapshot) !== undefined;
  const entry = isListed ? entryOf(key, current) : key;
  const hint = 'Connect again with a valid key.';
  if (entry === undefined || hasPassed(entry.revoked, now))
    return new GatewayError('invalid_api_key', {
      message: `The gateway key "${key.name}" was revoked while the WebSocket was open.`,
      hint,
    });
  if (hasPassed(entry.expires, now) || hasPassed(entry.retires, now))
    return new GatewayError('expired_api_key', { message: `The gateway key "${key.name}" expired while the WebSocket was open.`, hint });
  return undefined;
}

function entryOf({ name, id }: ApiKey, { apiKeys }: Snapshot): ApiKey | undefined {
  for (const key of apiKeys.values()) if (key.name === name && key.id === id) return key;
  return undefined;
}

const hasPassed = (end: number | undefined, now: number): boolean => end !== undefined && end <= now;
