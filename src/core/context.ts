import type { RequestBody } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import type { HeaderBag } from './headers.ts';
import type { Plan } from './plan.ts';
import type { ApiKey, CompiledConfig, ProviderBinding, Snapshot } from './snapshot.ts';

/** What arrived: size-limited, nothing decided yet. */
export interface Received {
  /** `req_` and 26 characters that sort by time. */
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Path as sent, without query. */
  readonly path: string;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query text without `?`, gateway credentials taken out. */
  readonly query: string;
  readonly headers: HeaderBag;
  /** The caller's body; a `screen` plugin may put another in its place. */
  body: RequestBody;
  /** The model as the client wrote it, from body or query; '' when it named none. */
  readonly askedModel: string;
  /** The client asked for a stream. */
  readonly stream: boolean;
  /** The configuration this request lives and dies with, whatever is reloaded meanwhile. */
  readonly snapshot: Snapshot;
  /** Number in [0, 1): the only randomness of the request, so that a plan can be made again from the record. */
  readonly random: number;
  readonly mode: 'live' | 'dry';
  /** Unix milliseconds of arrival. */
  readonly at: number;
  /** Address of the peer. */
  readonly peer: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  /** Things a person should know about this request: joins the record. */
  readonly warnings: string[];
  readonly facts: Facts;
}

/** What the plugins found out. Each fact is written once, by the plugin named here. */
export interface Facts {
  /** auth */
  caller: Caller | undefined;
  /** virtual-key */
  virtualKey: ProviderBinding | undefined;
  /** routing: the request's own choice, used where a target leaves the provider open */
  choice: Choice | undefined;
  /** routing: the config that applies */
  config: CompiledConfig | undefined;
  /** Facts of plugins from outside, by plugin name. */
  readonly ext: Record<string, unknown>;
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

/** After `admit`: there is a caller. The type says so, so no later stage checks again. */
export interface Admitted extends Received {
  readonly facts: Facts & { readonly caller: Caller };
}

/** After `plan`: there is a plan. */
export interface Routed extends Admitted {
  readonly plan: Plan;
}
