import type { RequestBody, RequestHead } from './http/request.ts';
import type { MemoryReservation } from './memory/budget.ts';
import type { ChosenPrompt } from './model/prompt.ts';
import type { Plan } from './plan.ts';
import type { GatewayError } from './error.ts';
import type { RouteStep } from './records/record.ts';
import type { ApiKey, CompiledConfig, Leaf, ProviderBinding, Snapshot } from './snapshot.ts';

/** The head of a request, and the configuration that applies to it. The body is read after `admit`. */
export interface Received extends RequestHead {
  /** The configuration used for the whole request, even if a reload replaces it. */
  readonly snapshot: Snapshot;
  /** `dry`: the request is only explained or tested; nothing may be counted, written or sent for it. */
  readonly mode: 'live' | 'dry';
  /** Notes on how the request was handled, in `x-gateway-warnings` and in the record. Plugins may add to them. */
  readonly warnings: string[];
  readonly facts: Facts;
  /** Counts the memory used for this request besides its body, until the request has ended. */
  readonly hold: MemoryReservation;
}

/** Results of plugins for the plugins after them. Each fact is written once, by the plugin named in its comment. */
export interface Facts {
  /** auth */
  caller: Caller | undefined;
  /** virtual-key */
  virtualKey: ProviderBinding | undefined;
  /** routing: the request's own choice, used if a target leaves the provider open */
  choice: Choice | undefined;
  /** routing: the config that applies */
  config: CompiledConfig | undefined;
  /** routing: the state of the walk over the config's tree */
  traversal?: TraversalFacts | undefined;
  /** prompts: the stored prompt of the request, and its effect on routing */
  prompt?: PromptFacts | undefined;
  /** Facts of external plugins, by plugin name. */
  readonly ext: Record<string, unknown>;
}

export interface TraversalFacts {
  /** `stateful`: the request names an object, and the targets are tried in the order written. */
  readonly walk: 'model' | 'stateful';
  /** Choices made at nodes so far, the outermost first; undefined if there were none. */
  readonly route: readonly RouteStep[] | undefined;
  /** Targets that may not be used, with the reason. Only kept if a request is explained. */
  readonly refusals: ReadonlyMap<Leaf, GatewayError> | undefined;
}

export interface PromptFacts {
  /** The version that was or will be sent. */
  readonly used: ChosenPrompt;
  /** The model named in the request, which replaces that of the prompt. */
  readonly requestedModel: string | undefined;
  /** The prompt's config, if the request itself chooses none. */
  readonly config: string | undefined;
}

export interface Caller {
  /** Name of the API key; `anonymous` if no keys are defined. */
  readonly name: string;
  readonly key: ApiKey | undefined;
  /** The caller's own provider credential from `Authorization` and similar headers; never a gateway key. */
  readonly credential: string | undefined;
  /** Names of the headers that contained the gateway key: they are not forwarded. */
  readonly consumed: readonly string[];
}

/** The provider that the request itself chose by slug, provider header or virtual key. */
export interface Choice {
  readonly binding: ProviderBinding;
  /** The model without the slug; undefined if the request has none. */
  readonly model: string | undefined;
  readonly by: 'model' | 'header' | 'virtual-key';
}

/** A request after `admit`: the caller is known and the body was read, so later stages need no checks. */
export interface Admitted extends Received {
  /** The client's body; a `screen` plugin may replace it. */
  body: RequestBody;
  /** The model as the client wrote it, in body, query or path; '' if there is none. */
  readonly requestedModel: string;
  /** True if the client requested a stream. */
  readonly stream: boolean;
  readonly facts: Facts & { readonly caller: Caller };
}

/** A request after `plan`. */
export interface Routed extends Admitted {
  readonly plan: Plan;
}
/** Source of time, so that tests and dry runs can set it. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Monotonic milliseconds, for durations. */
  monotonic(): number;
}
