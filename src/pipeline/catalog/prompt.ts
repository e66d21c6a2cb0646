import type { JsonBody } from '../../core/json/body.ts';
import type { Endpoint } from '../../core/endpoint.ts';
import { GatewayError } from '../../core/error.ts';
import { bareModel, slugOf } from '../../core/model/model-name.ts';
import type { Reply } from '../../core/plan.ts';
import {
  type ChosenPrompt,
  choosePrompt,
  promptName,
  promptPatch,
  type PromptVersion,
  splitReference,
  variablesFor,
} from '../../core/model/prompt.ts';
import type { LogRecord } from '../../core/records/record.ts';
import type { Leaf } from '../../core/snapshot.ts';
import type { RequestContext } from '../request.ts';

/** What a stored prompt is sent as. */
const chat = 'chat/completions' satisfies Endpoint;

const noParams: Readonly<Record<string, string>> = Object.freeze({});

/** The answer to a rendering: always whole. */
export interface Rendered extends Reply {
  readonly body: Buffer;
}

export const isPromptRoute = (endpoint: Endpoint): boolean => endpoint === 'prompts/{id}/completions' || endpoint === 'prompts/{id}/render';

/**
 * Turns a call of a stored prompt into the chat completion that it stands for; from here on the request is one, and only
 * its record shows what the client asked for. The answer, where the prompt was only to be rendered.
 *
 * @throws GatewayError `prompt_not_found`, `not_allowed`, `missing_required_parameter`, `invalid_type`
 */
export function startPrompt(ctx: RequestContext): Rendered | undefined {
  const { body, endpoint } = ctx;
  if (body.kind !== 'json') throw new GatewayError('invalid_json', { message: 'The body is not a JSON object.' });
  const { key } = ctx.facts.caller;
  const reference = ctx.params['id'] ?? '';
  const { id } = splitReference(reference);
  // Before its versions are looked up: what there is of it is told to nobody else.
  if (key !== undefined && ctx.snapshot.prompts.has(id) && !key.allowsPrompt(id)) {
    throw new GatewayError('not_allowed', {
      message: `Key "${key.name}" may not use prompt "${id}".`,
      hint: 'The rule is allow.prompts of the key.',
    });
  }
  const chosen = choosePrompt(ctx.snapshot.prompts, reference, undefined, (name) => key === undefined || key.allowsPrompt(name));
  refuseMessages(body);
  const run = new PromptRun(ctx, body, chosen);
  ctx.prompt = run;
  if (endpoint === 'prompts/{id}/render') {
    const answer = rendered(run.body);
    run.tell();
    return answer;
  }
  ctx.endpoint = chat;
  ctx.params = noParams;
  ctx.body = run.body;
  const model = run.body.peek('model');
  ctx.requestedModel = typeof model === 'string' ? model : '';
  ctx.facts.prompt = { requestedModel: run.requestedModel, config: run.choosesItself ? undefined : chosen.version.config };
  return undefined;
}

/**
 * A config with prompts of its own makes no sense of other requests.
 * @throws GatewayError `invalid_config`
 */
export function refusePrompts(ctx: RequestContext): void {
  if (ctx.prompt !== undefined || ctx.facts.config?.hasPrompts !== true) return;
  throw new GatewayError('invalid_config', {
    message: `Config "${ctx.facts.config.name}" has targets with a prompt_id, but ${ctx.method} ${ctx.path} does not run stored prompts.`,
    hint: 'Use it on POST /v1/prompts/{id}/completions, or name a config without prompt_id.',
  });
}

/** One call of a stored prompt: the bodies that its targets get. */
export class PromptRun {
  /** What the client called. */
  readonly endpoint: Endpoint;
  /** The model that the request itself names. */
  readonly requestedModel: string | undefined;
  /** The request names a provider or virtual key, or a model with a slug: its word counts before the prompt's. */
  readonly choosesItself: boolean;
  readonly #ctx: RequestContext;
  readonly #received: JsonBody;
  readonly #chosen: ChosenPrompt;
  readonly #bodies = new Map<ChosenPrompt, JsonBody>();
  /** What callers should know of bodies that were made, until one of them is used. */
  readonly #untold = new Map<ChosenPrompt, readonly string[]>();
  #used: ChosenPrompt;

  constructor(ctx: RequestContext, received: JsonBody, chosen: ChosenPrompt) {
    this.endpoint = ctx.endpoint;
    this.#ctx = ctx;
    this.#received = received;
    this.#chosen = chosen;
    this.#used = chosen;
    const model = received.peek('model');
    this.requestedModel = typeof model === 'string' ? model : undefined;
    this.choosesItself = namesProvider(ctx) || slugOf(this.requestedModel ?? '') !== undefined;
  }

  /** The body of the prompt that the request names. */
  get body(): JsonBody {
    return this.#bodyOf(this.#chosen);
  }

  /** `welcome@2`: the version that was sent last. */
  get name(): string {
    return promptName(this.#used.version);
  }

  get record(): LogRecord['prompt'] {
    const { version, label } = this.#used;
    return { id: version.id, version: version.number, label };
  }

  get metadata(): Readonly<Record<string, string>> {
    return this.#used.version.metadata;
  }

  /** A target may have a prompt of its own: puts its body in the place of the one before. */
  aim(leaf: Leaf): void {
    this.#used = leaf.prompt ?? this.#chosen;
    this.#ctx.body = this.#bodyOf(this.#used);
    this.tell();
  }

  /** Warns of the prompt that is used: others may only have been made to find their models. */
  tell(): void {
    this.#ctx.warnings.push(...(this.#untold.get(this.#used) ?? []));
    this.#untold.delete(this.#used);
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
    const values = variablesFor(version, received.value('variables'), (text) => void warnings.push(text));
    const messages = version.messages(values, snapshot.server.maxBody);
    const patch = promptPatch(version, messages, { stream, has: (field) => received.has(field) });
    const model = this.#modelOf(version);
    if (model !== undefined) patch.set('model', model);
    return received.edit(patch);
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

function namesProvider({ facts, headers }: RequestContext): boolean {
  return facts.virtualKey !== undefined || (headers.gateway('provider') ?? '') !== '';
}

function refuseMessages(body: JsonBody): void {
  if (!body.has('messages')) return;
  throw new GatewayError('unsupported_parameter', {
    message: 'The messages of a stored prompt cannot be overridden.',
    param: 'messages',
    hint: 'Set its variables in "variables", or call /v1/chat/completions.',
  });
}

function rendered(body: JsonBody): Rendered {
  const text = Buffer.concat([Buffer.from('{"success":true,"data":'), body.bytes(), Buffer.from('}')]);
  return { status: 200, headers: [], body: text, flow: undefined };
}
