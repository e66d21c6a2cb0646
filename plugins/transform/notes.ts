import type { Routed } from '#core/context.ts';
import { type Note, NoteMemory, type NoteBounds, type Notes, type NoteScope } from '#core/model/notes.ts';
import type { Attempt } from '#core/plan.ts';
import type { PluginHost } from '#core/plugin.ts';
import type { Call, CommonSettings } from '#core/provider.ts';

/** What is remembered of responses, and what bounds it at the moment of a request. */
interface Memory {
  readonly memory: NoteMemory;
  readonly bounds: NoteBounds;
}

/** The memory that all configurations share, one after the other. */
export class Remembering {
  readonly #memory: NoteMemory;
  readonly #host: PluginHost;

  constructor(host: PluginHost) {
    this.#host = host;
    this.#memory = host.shared('notes', () => new NoteMemory());
  }

  /**
   * Undefined where nothing is remembered. A credential that is copied from the headers of the caller says of no two
   * requests that they are of the same account.
   */
  notesFor(ctx: Routed, attempt: Attempt, call: Call<CommonSettings>): Notes | undefined {
    const bounds = ctx.snapshot.server.thinkingMemory;
    if (bounds === undefined) this.#memory.clear();
    if (bounds === undefined || call.credential === 'forwarded') return undefined;
    return new AttemptNotes({ memory: this.#memory, bounds }, { ctx, attempt, call, host: this.#host });
  }
}

interface Of {
  readonly ctx: Routed;
  readonly attempt: Attempt;
  readonly call: Call<CommonSettings>;
  readonly host: PluginHost;
}

/** The notes that one attempt may see. Whose they are is worked out when there is one. */
class AttemptNotes implements Notes {
  readonly #memory: Memory;
  readonly #of: Of;
  #scope: NoteScope | undefined;

  constructor(memory: Memory, of: Of) {
    this.#memory = memory;
    this.#of = of;
  }

  recall(ids: readonly string[]): ReadonlyMap<string, string> {
    const { memory, bounds } = this.#memory;
    return memory.recall((this.#scope ??= scopeOf(this.#of)), ids, bounds.ttl, this.#of.host.now());
  }

  keep(note: Note): void {
    const { memory, bounds } = this.#memory;
    const { ctx, host } = this.#of;
    memory.keep((this.#scope ??= scopeOf(this.#of)), note, { bounds, budget: ctx.hold.budget, now: host.now() });
  }
}

/** Signatures hold for the account and model that made them, and the thoughts of one caller are no other's. */
function scopeOf({ ctx, attempt, call, host }: Of): NoteScope {
  const { key, credential } = ctx.facts.caller;
  const account = call.credential === 'caller' ? (credential ?? '') : '';
  const owner = key?.owner ?? host.sha256(account);
  const { slug, virtualKey, provider } = attempt.binding;
  const place = [owner, provider.type, slug, virtualKey ?? '', call.settings.custom_host ?? '', call.model, account];
  return { owner, place: host.sha256(JSON.stringify(place)) };
}
