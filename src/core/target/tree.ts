import type { JsonObject } from '../json/merge.ts';
import type { ChosenPrompt } from '../model/prompt.ts';
import type { ProviderBinding } from './binding.ts';
import type { CachePolicy } from './cache-policy.ts';
import type { PartialTimeouts } from './timeouts.ts';

/** Compiled `retry`. */
export interface RetryPolicy {
  /** Retries after the first attempt, 0 to 5. */
  readonly attempts: number;
  retries(status: number): boolean;
  readonly useRetryAfter: boolean;
}

/** Compiled `strategy.cb_config`: the circuit breaker, which skips a failing target for a while. */
export interface CircuitPolicy {
  /** Identity of the circuit: equal for the same target with the same settings, also after a reload. */
  readonly id: string;
  /** Consecutive failures that open the circuit; undefined: not counted. */
  readonly failures: number | undefined;
  /** Failure rate in (0, 1] within the last minute that opens the circuit; undefined: not evaluated. */
  readonly share: number | undefined;
  /** Minimum number of attempts within the last minute before the rate is evaluated. */
  readonly minimum: number;
  /** How long the circuit stays open, in milliseconds. */
  readonly cooldownMs: number;
  fails(status: number): boolean;
}

/** Common members of all nodes of the target tree. */
export interface TargetNode {
  /** Such as `config.targets[1].targets[0]`, with indexes as written. */
  readonly path: string;
  readonly name: string | undefined;
  readonly weight: number;
  readonly parent: Branch | undefined;
  /** Position among its siblings. */
  readonly index: number;
}

/** A node with a strategy. */
export interface Branch extends TargetNode {
  readonly strategy: 'single' | 'fallback' | 'loadbalance' | 'conditional';
  readonly targets: readonly (Branch | Leaf)[];
  /** Fallback only: true if this status moves on to the next target. Compiled from `on_status_codes`. */
  fallsBackOn(status: number): boolean;
  /** Conditional only: the target for these facts; undefined if no condition matches and there is no default. */
  match?(facts: QueryFacts): Match | undefined;
  /** Conditional only: the model names that its queries compare with. */
  readonly models?: readonly string[];
}

/** Result of a condition. */
export interface Match {
  readonly index: number;
  /** The text of the condition, or `default`. */
  readonly because: string;
}

/** A target of attempts, with every inherited setting filled in. */
export interface Leaf extends TargetNode {
  readonly strategy: 'leaf';
  /** The config that contains it, as `configs.<name>`; `inline` or `request` for trees that are not in the file. */
  readonly root: string;
  /** Absent if the config leaves the provider open: the request's own choice is then used. */
  readonly provider: ProviderBinding | undefined;
  /** Values written into request bodies. The slug before its model is already removed. */
  readonly override: JsonObject | undefined;
  readonly retry: RetryPolicy;
  /** Undefined: never skipped because of earlier failures. */
  readonly circuit?: CircuitPolicy | undefined;
  /** Undefined: every request is sent to the provider. */
  readonly cache?: CachePolicy | undefined;
  readonly timeouts: PartialTimeouts;
  readonly customHost: string | undefined;
  /** Lower-case names. */
  readonly forwardHeaders: readonly string[] | undefined;
  readonly strict: boolean | undefined;
  readonly showsReasoning?: boolean | undefined;
  /** Stored prompt that this target runs instead of the one in the request; prompts routes only. */
  readonly prompt?: ChosenPrompt | undefined;
}

/** Inputs of conditional routing. */
export interface QueryFacts {
  readonly metadata: Readonly<Record<string, string>>;
  /** A top-level body field. */
  params(name: string): unknown;
  readonly pathname: string;
}
