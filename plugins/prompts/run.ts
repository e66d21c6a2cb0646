import type { JsonBody } from '#core/json/body.ts';
import type { Admitted, PromptFacts } from '#core/context.ts';
import { bareModel, slugOf } from '#core/model/model-name.ts';
import { type ChosenPrompt, promptPatch, type PromptVersion, variablesFor } from '#core/model/prompt.ts';
import type { Leaf } from '#core/snapshot.ts';

/** What a body costs in memory until its request is over: its text, that of an edited one, and the bytes that are sent. */
const copies = 3;

/** One call of a stored prompt: the bodies that its targets get. */
export class PromptRun implements PromptFacts {
  /** The model that the request itself names. */
  readonly requestedModel: string | undefined;
  /** The request names a provider or virtual key, or a model with a slug: its word counts before the prompt's. */
  readonly choosesItself: boolean;
  /** The version that was sent last. */
  used: ChosenPrompt;
  readonly #ctx: Admitted;
  readonly #received: JsonBody;
  readonly #chosen: ChosenPrompt;
  readonly #bodies = new Map<ChosenPrompt, JsonBody>();
  /** What callers should know of bodies that were made, until one of them is used. */
  readonly #untold = new Map<ChosenPrompt, readonly string[]>();

  constructor(ctx: Admitted, received: JsonBody, chosen: ChosenPrompt) {
    this.#ctx = ctx;
    this.#received = received;
    this.#chosen = chosen;
    this.used = chosen;
    const model = received.peek('model');
    this.requestedModel = typeof model === 'string' ? model : undefined;
    this.choosesItself = namesProvider(ctx) || slugOf(this.requestedModel ?? '') !== undefined;
  }

  /** The body of the prompt that the request names. */
  get body(): JsonBody {
    return this.#bodyOf(this.#chosen);
  }

  /** The prompt's config, where the request makes no choice of its own. */
  get config(): string | undefined {
    return this.choosesItself ? undefined : this.#chosen.version.config;
  }

  /** The body for a target, which may have a prompt of its own. */
  aim(leaf: Leaf): JsonBody {
    this.used = leaf.prompt ?? this.#chosen;
    const body = this.#bodyOf(this.used);
    this.tell();
    return body;
  }

  /** Warns of the prompt that is used: others may only have been made to find their models. */
  tell(): void {
    this.#ctx.warnings.push(...(this.#untold.get(this.used) ?? []));
    this.#untold.delete(this.used);
  }

  #bodyOf(chosen: ChosenPrompt): JsonBody {
    let body = this.#bodies.get(chosen);
    if (body === undefined) {
      const warnings: string[] = [];
      body = this.#make(chosen, warnings);
      this.#untold.set(chosen, warnings);
      this.#bodies.set(chosen, body);
    }
    return body;
  }

  #make({ version }: ChosenPrompt, warnings: string[]): JsonBody {
    const { snapshot, stream } = this.#ctx;
    const received = this.#received;
    const values = variablesFor(version, received.exact('variables'), (text) => void warnings.push(text));
    const messages = version.messages(values, snapshot.server.maxBody);
    const patch = promptPatch(version, messages, { stream, has: (field) => received.has(field) });
    const model = this.#modelOf(version);
    if (model !== undefined) patch.set('model', model);
    const body = received.edit(patch);
    // Lists inside lists make much of a short request.
    this.#ctx.hold.take(body.size * copies);
    return body;
  }

  /**
   * The model to write into the body. A provider that the request chose itself is not overruled by the slug that the
   * prompt saved; where it chose none, another model stays with the saved one. Undefined: what is there is right.
   */
  #modelOf({ model: saved }: PromptVersion): string | undefined {
    const slug = slugOf(saved ?? '');
    if (saved === undefined || slug === undefined) return undefined;
    if (this.requestedModel === undefined) return namesProvider(this.#ctx) ? bareModel(saved) : undefined;
    return this.choosesItself ? undefined : `@${slug}/${this.requestedModel}`;
  }
}

function namesProvider({ facts, headers }: Admitted): boolean {
  return facts.virtualKey !== undefined || (headers.gateway('provider') ?? '') !== '';
}
