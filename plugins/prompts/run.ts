import type { JsonBody } from '#core/json/body.ts';
import type { Admitted, PromptFacts } from '#core/context.ts';
import { bareModel, slugOf } from '#core/model/model-name.ts';
import { type ChosenPrompt, promptPatch, type PromptVersion, variablesFor } from '#core/model/prompt.ts';
import type { Leaf } from '#core/snapshot.ts';

/** Copies of a body in memory during a request: its text, the edited text, and the bytes to send. */
const copiesInMemory = 3;

/** One call of a stored prompt. Makes the bodies for its targets. */
export class PromptRun implements PromptFacts {
  /** The model in the request. */
  readonly requestedModel: string | undefined;
  /** True if the request selects a provider, a virtual key, or a model with a slug. This overrides the prompt's choice. */
  readonly selectsProvider: boolean;
  /** The version that was used last. */
  used: ChosenPrompt;
  readonly #ctx: Admitted;
  readonly #received: JsonBody;
  readonly #chosen: ChosenPrompt;
  readonly #bodies = new Map<ChosenPrompt, JsonBody>();
  /** Warnings of each body, reported when the body is used. */
  readonly #warnings = new Map<ChosenPrompt, readonly string[]>();

  constructor(ctx: Admitted, received: JsonBody, chosen: ChosenPrompt) {
    this.#ctx = ctx;
    this.#received = received;
    this.#chosen = chosen;
    this.used = chosen;
    const model = received.peek('model');
    this.requestedModel = typeof model === 'string' ? model : undefined;
    this.selectsProvider = namesProvider(ctx) || slugOf(this.requestedModel ?? '') !== undefined;
  }

  /** The body for the prompt in the request. */
  get body(): JsonBody {
    return this.#bodyOf(this.#chosen);
  }

  /** The prompt's config, unless the request selects a provider itself. */
  get config(): string | undefined {
    return this.selectsProvider ? undefined : this.#chosen.version.config;
  }

  /** The body for a target, which may have its own prompt. */
  bodyFor(leaf: Leaf): JsonBody {
    this.used = leaf.prompt ?? this.#chosen;
    const body = this.#bodyOf(this.used);
    this.reportWarnings();
    return body;
  }

  /** Reports the warnings of the used prompt. Other bodies may have been made only to find their models. */
  reportWarnings(): void {
    this.#ctx.warnings.push(...(this.#warnings.get(this.used) ?? []));
    this.#warnings.delete(this.used);
  }

  #bodyOf(chosen: ChosenPrompt): JsonBody {
    let body = this.#bodies.get(chosen);
    if (body === undefined) {
      const warnings: string[] = [];
      body = this.#render(chosen, warnings);
      this.#warnings.set(chosen, warnings);
      this.#bodies.set(chosen, body);
    }
    return body;
  }

  #render({ version }: ChosenPrompt, warnings: string[]): JsonBody {
    const { snapshot, stream } = this.#ctx;
    const received = this.#received;
    const values = variablesFor(version, received.exact('variables'), (text) => void warnings.push(text));
    const messages = version.messages(values, snapshot.server.maxBody);
    // Libraries that write every field send null for a model that the caller left out.
    const has = (field: string): boolean => received.has(field) && (field !== 'model' || received.value('model') !== null);
    const patch = promptPatch(version, messages, { stream, has });
    const model = this.#modelOf(version);
    if (model !== undefined) patch.set('model', model);
    const body = received.edit(patch);
    // Nested lists can expand a short request to a large body.
    this.#ctx.hold.take(body.size * copiesInMemory);
    return body;
  }

  /**
   * The model to write into the body. A provider that the request selects is not replaced by the slug of the prompt. If the
   * request selects only another model, the prompt's slug is kept. Undefined: the body needs no change.
   */
  #modelOf({ model: promptModel }: PromptVersion): string | undefined {
    const slug = slugOf(promptModel ?? '');
    if (promptModel === undefined || slug === undefined) return undefined;
    if (this.requestedModel === undefined) return namesProvider(this.#ctx) ? bareModel(promptModel) : undefined;
    return this.selectsProvider ? undefined : `@${slug}/${this.requestedModel}`;
  }
}

function namesProvider({ facts, headers }: Admitted): boolean {
  return facts.virtualKey !== undefined || (headers.gateway('provider') ?? '') !== '';
}
