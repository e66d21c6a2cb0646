import type { Arrival } from './http/arrival.ts';
import type { RequestBody } from './json/body.ts';
import type { Hold } from './memory/budget.ts';
import type { ChosenPrompt } from './model/prompt.ts';
import type { Plan } from './plan.ts';
import type { GatewayError } from './error.ts';
import type { RouteStep } from './records/record.ts';
import type { ApiKey, CompiledConfig, Leaf, ProviderBinding, Snapshot } from './snapshot.ts';

/** A request by its head, and the configuration it meets. Its body is read once it is admitted. */
export interface Received extends Arrival {
  /** The configuration this request lives and dies with, whatever is reloaded meanwhile. */
  readonly snapshot: Snapshot;
  /** `dry`: the request is only explained; nothing may be counted, written or sent for it. */
  readonly mode: 'live' | 'dry';
  /** Notes on how the request was handled: plugins add theirs. In `x-gateway-warnings` and in the record. */
  readonly warnings: string[];
  readonly facts: Facts;
  /** Counts what is held in memory for this request beside its body, until the request is over. */
  readonly hold: Hold;
}

/** Results of plugins for the plugins behind them. Each fact is written once, by the plugin that its comment names. */
export interface Facts {
  /** auth */
  caller: Caller | undefined;
  /** virtual-key */
  virtualKey: ProviderBinding | undefined;
  /** routing: the request's own choice, used where a target leaves the provider open */
  choice: Choice | undefined;
  /** routing: the config that applies */
  config: CompiledConfig | undefined;
  /** routing: what the walk over the config's tree has chosen */
  walk?: WalkFacts | undefined;
  /** prompts: the stored prompt that the request runs, and what it says about where the request goes */
  prompt?: PromptFacts | undefined;
  /** Facts of plugins from outside, by plugin name. */
  readonly ext: Record<string, unknown>;
}

export interface WalkFacts {
  /** Choices of nodes so far, the outermost first; undefined where there were none. */
  readonly route: readonly RouteStep[] | undefined;
  /** Targets that may not be used, and why. Kept where a request is only explained. */
  readonly refusals: ReadonlyMap<Leaf, GatewayError> | undefined;
}

export interface PromptFacts {
  /** The version that was sent last, or is going to be. */
  readonly used: ChosenPrompt;
  /** The model that the request itself names, in place of the prompt's. */
  readonly requestedModel: string | undefined;
  /** The prompt's config, where the request makes no choice of its own. */
  readonly config: string | undefined;
}

export interface Caller {
  /** Name of the API key; `anonymous` where no keys are defined. */
  readonly name: string;
  readonly key: ApiKey | undefined;
  /** The caller's own provider credential from `Authorization` and the like; never a key of ours. */
  readonly credential: string | undefined;
  /** Names of the headers that held our key: consumed, never forwarded. */
  readonly consumed: readonly string[];
}

/** What the request itself chose by slug, provider header or virtual key. */
export interface Choice {
  readonly binding: ProviderBinding;
  /** The model with its slug taken off; undefined when the request has none. */
  readonly model: string | undefined;
  readonly by: 'model' | 'header' | 'virtual-key';
}

/** After `admit`: there is a caller, and the body was read. The type says so, so no later stage checks again. */
export interface Admitted extends Received {
  /** The caller's body; a `screen` plugin may put another in its place. */
  body: RequestBody;
  /** The model as the client wrote it, from body, query or path; '' when it named none. */
  readonly requestedModel: string;
  /** The client asked for a stream. */
  readonly stream: boolean;
  readonly facts: Facts & { readonly caller: Caller };
}

/** After `plan`: there is a plan. */
export interface Routed extends Admitted {
  readonly plan: Plan;
}
/** Time comes in through this, so that tests and dry runs can set it. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds that only go forward, for durations. */
  monotonic(): number;
}
