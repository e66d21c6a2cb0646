import type { ShownLimits } from '../limits/limits-text.ts';

/**
 * The processing of a request, hypothetical or recorded, as data: the result of the same code as for real traffic.
 * Texts contain no credentials.
 */
export interface Explanation {
  readonly request: { readonly method: string; readonly path: string; readonly endpoint: string };
  readonly key: { readonly name: string | null; readonly at: Origin | null };
  /** Limits of the key, without what it has used of them; null if it has none. */
  readonly limits: (ShownLimits & { readonly at: Origin | null }) | null;
  readonly prompt: { readonly id: string; readonly version: number } | null;
  readonly config: { readonly name: string; readonly by: string; readonly at: Origin | null } | null;
  /** Choices of the request that did not apply, with the reason. */
  readonly overruled: readonly { readonly choice: string; readonly value: string; readonly by: string }[];
  /** Every condition and strategy on the way to the target. */
  readonly route: readonly RouteNode[];
  /** In the order in which they would be tried. */
  readonly targets: readonly ExplainedTarget[];
  readonly plugins: readonly { readonly name: string; readonly moment: string; readonly said: string | null }[];
  /** Client headers that are not forwarded, with the reason. */
  readonly removed_headers: readonly { readonly name: string; readonly why: string }[];
  readonly warnings: readonly string[];
  readonly log: { readonly bodies: string; readonly at: Origin | null };
  /** A response of the gateway itself: an error, or one that needs no provider. */
  readonly answer: { readonly status: number; readonly code: string | null; readonly message: string; readonly hint: string | null } | null;
}

/** Source position of a value. */
export interface Origin {
  readonly file: string;
  readonly line: number;
}

export interface RouteNode {
  readonly node: string;
  readonly strategy: 'single' | 'fallback' | 'loadbalance' | 'conditional';
  readonly at: Origin | null;
  /** Conditional: each condition, in order. */
  readonly conditions: readonly { readonly text: string; readonly matched: boolean; readonly why: string; readonly at: Origin | null }[];
  readonly chose: number | null;
  /** Load balancing: the weight of each target. */
  readonly weights: readonly number[];
  readonly because: string;
}

export interface ExplainedTarget {
  readonly target: string;
  readonly at: Origin | null;
  readonly provider: string;
  readonly type: string;
  readonly model: string;
  readonly deployment: string | null;
  /** When the next target would be tried, or why this one is not tried at all. */
  readonly left_on: string;
  readonly goes_here: boolean;
  /** True for a response that needs no network: that of the mock, or an estimate. Nothing is sent then. */
  readonly local: boolean;
  readonly url: string | null;
  readonly method: string | null;
  /** Credentials are shown as references. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Names of the headers that sign the request. Only their values contain references; in others such a text is the client's. */
  readonly credential_headers: readonly string[];
  /** As text; null if it can't be shown as text. */
  readonly body: string | null;
  readonly differences: readonly Difference[];
  readonly retry: string;
  /** How long a stored response is used; null: the target has no cache. */
  readonly cache: string | null;
  /** When the circuit breaker skips the target; null: never. */
  readonly circuit: string | null;
  readonly timeouts: Readonly<Record<string, string>>;
  /** Price of the input as exact decimal; null: unknown. */
  readonly cost_usd: string | null;
  readonly problem: string | null;
}

/** A field that differs between two bodies. */
export interface Difference {
  /** Such as `messages[0].content`. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed' | 'moved';
  /** For `moved`: the previous path of the same value. */
  readonly from?: string | undefined;
  /** JSON text, truncated; absent if the field does not exist on this side. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /**
   * Reason, such as `override_params`, `labels`, `model name`, `stored prompt`, `format google-generate`, `not known to
   * this provider`, …
   */
  readonly cause: string;
  readonly at: Origin | null;
}

export interface ExplainRequest {
  readonly method?: string | undefined;
  /** Default: `/v1/chat/completions`. */
  readonly path?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A JSON value, or its text. */
  readonly body?: unknown;
  /** Name of an API key whose rules apply; its secret is not needed. */
  readonly key?: string | undefined;
  /** Name of the API key in a record. Its rules apply if the configuration still has it and `key` names no other one. */
  readonly recorded_key?: string | undefined;
  /** ID of a recorded request; the other members override its values. */
  readonly from_log?: string | undefined;
  /** Assumed results of targets: `openai-main` → 429, `timeout`, `reset`. */
  readonly assume?: Readonly<Record<string, number | 'timeout' | 'reset'>> | undefined;
  /** Random number in [0, 1) for weighted choices. */
  readonly random?: number | undefined;
}
