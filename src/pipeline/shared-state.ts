import type { PluginHost } from '../core/plugin.ts';

/** The lease of one generation on shared state. */
export interface SharedStateLease {
  get: PluginHost['shared'];
  release(): void;
}

/** A message from a plugin in one worker process to the same plugin in the others. */
export interface PluginMessage {
  readonly key: string;
  readonly message: unknown;
}

/** The state of one key, and the number of generations that use it. */
interface SharedSlot {
  readonly value: unknown;
  receive(message: unknown): void;
  catchUp(): Iterable<unknown>;
  users: number;
}

/** State of plugins that outlives a reload: kept while a generation uses its key, then deleted. */
export class SharedState {
  readonly #slots = new Map<string, SharedSlot>();
  readonly #broadcast: (key: string, message: unknown) => void;

  /** @param broadcast sends a message to the other worker processes */
  constructor(broadcast: (key: string, message: unknown) => void = () => {}) {
    this.#broadcast = broadcast;
  }

  /** Another worker process sent a message about its state of this key. */
  receive(key: string, message: unknown): void {
    this.#slots.get(key)?.receive(message);
  }

  /** Messages that give the state of this process to one that was just started. */
  catchUp(): readonly PluginMessage[] {
    return [...this.#slots].flatMap(([key, slot]) => Array.from(slot.catchUp(), (message) => ({ key, message })));
  }

  begin(): SharedStateLease {
    const leasedKeys = new Set<string>();
    return {
      get: (key, create, receive, catchUp) => {
        let slot = this.#slots.get(key);
        if (slot === undefined) {
          const value = create((message) => this.#broadcast(key, message));
          slot = { value, receive: (message) => receive?.(value, message), catchUp: () => catchUp?.(value) ?? [], users: 0 };
          this.#slots.set(key, slot);
        }
        if (!leasedKeys.has(key)) {
          leasedKeys.add(key);
          slot.users += 1;
        }
        return slot.value as ReturnType<typeof create>;
      },
      release: () => {
        for (const key of leasedKeys) this.#drop(key);
        leasedKeys.clear();
      },
    };
  }

  #drop(key: string): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    slot.users -= 1;
    if (slot.users === 0) this.#slots.delete(key);
  }
}
