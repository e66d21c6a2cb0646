import type { Routed } from '#core/context.ts';
import { type NoteConditions, type Note, NoteMemory, type Notes, type NoteScope } from '#core/model/notes.ts';
import type { Attempt } from '#core/plan.ts';
import type { PluginHost } from '#core/plugin.ts';
import type { Call, CommonSettings } from '#core/provider.ts';

/** A note that another worker process has stored. */
interface ReceivedNote {
  readonly scope: NoteScope;
  readonly note: Note;
}

/** Maximum characters of received notes that wait for the first request of this process. */
const maxEarlyLength = 1024 * 1024;

/** The notes of one process. Worker processes share their notes. */
class SharedNotes {
  readonly memory = new NoteMemory();
  readonly #send: (received: ReceivedNote) => void;
  /** Notes received while the limits are unknown. The next request shows them. */
  #earlyNotes: ReceivedNote[] = [];
  #earlyLength = 0;
  /** The current limits; undefined before the first request, and while notes are off. */
  #keeping: NoteConditions | undefined;

  constructor(send: (received: ReceivedNote) => void) {
    this.#send = send;
  }

  use(keeping: NoteConditions): void {
    this.#keeping = keeping;
    this.#earlyLength = 0;
    for (const { scope, note } of this.#earlyNotes.splice(0)) this.memory.keep(scope, note, keeping);
  }

  clear(): void {
    this.#keeping = undefined;
    this.#earlyLength = 0;
    this.#earlyNotes = [];
    this.memory.clear();
  }

  keep(received: ReceivedNote, keeping: NoteConditions): void {
    this.memory.keep(received.scope, received.note, keeping);
    this.#send(received);
  }

  receive(received: ReceivedNote, now: number): void {
    if (this.#keeping !== undefined) return this.memory.keep(received.scope, received.note, { ...this.#keeping, now });
    this.#earlyLength += received.note.text.length;
    if (this.#earlyLength <= maxEarlyLength) this.#earlyNotes.push(received);
  }
}

/** The memory that successive configurations share. */
export class NoteStore {
  readonly #notes: SharedNotes;
  readonly #host: PluginHost;

  constructor(host: PluginHost) {
    this.#host = host;
    this.#notes = host.shared(
      'notes',
      (send) => new SharedNotes(send),
      (notes, received) => notes.receive(received as ReceivedNote, host.now()),
    );
  }

  /**
   * Undefined if notes are off. With a credential that is copied from the caller's headers, it is not known whether two
   * requests use the same account.
   */
  notesFor(ctx: Routed, attempt: Attempt, call: Call<CommonSettings>): Notes | undefined {
    const bounds = ctx.snapshot.server.thinkingMemory;
    if (bounds === undefined) this.#notes.clear();
    if (bounds === undefined || call.credential === 'forwarded') return undefined;
    const keeping = { bounds, budget: ctx.hold.budget, now: this.#host.now() };
    this.#notes.use(keeping);
    return new AttemptNotes(this.#notes, keeping, { ctx, attempt, call, host: this.#host });
  }
}

interface NoteContext {
  readonly ctx: Routed;
  readonly attempt: Attempt;
  readonly call: Call<CommonSettings>;
  readonly host: PluginHost;
}

/** The notes that one attempt may use. Their owner is computed on demand. */
class AttemptNotes implements Notes {
  readonly #notes: SharedNotes;
  readonly #keeping: NoteConditions;
  readonly #context: NoteContext;
  #scope: NoteScope | undefined;

  constructor(notes: SharedNotes, keeping: NoteConditions, of: NoteContext) {
    this.#notes = notes;
    this.#keeping = keeping;
    this.#context = of;
  }

  recall(ids: readonly string[]): ReadonlyMap<string, string> {
    return this.#notes.memory.recall((this.#scope ??= scopeOf(this.#context)), ids, this.#keeping.bounds.ttl, this.#context.host.now());
  }

  keep(note: Note): void {
    const scope = (this.#scope ??= scopeOf(this.#context));
    this.#notes.keep({ scope, note }, { ...this.#keeping, now: this.#context.host.now() });
  }
}

/** Signatures are valid only for the account and model that created them, and notes are never shared between callers. */
function scopeOf({ ctx, attempt, call, host }: NoteContext): NoteScope {
  const { name, key, credential } = ctx.facts.caller;
  // The caller's own account can be in the settings, or in a config of the request.
  const own = call.credential === 'caller' ? [credential, call.settings] : [];
  const account = [...own, attempt.target.root === 'inline' ? ctx.headers.gateway('config') : null];
  const owner = key?.owner ?? host.sha256(JSON.stringify([name, account]));
  const { slug, virtualKey, provider } = attempt.binding;
  const scopeParts = [owner, provider.type, slug, virtualKey ?? '', call.settings.custom_host ?? '', call.model, account];
  return { owner, place: host.sha256(JSON.stringify(scopeParts)) };
}
