/** What a request would do, or did: the same walk as real traffic, told as data. Every text is without credentials. */
export interface Explanation {
  readonly request: { readonly method: string; readonly path: string; readonly endpoint: string };
  readonly key: { readonly name: string | null; readonly at: Origin | null };
  readonly prompt: { readonly id: string; readonly version: number } | null;
  readonly config: { readonly name: string; readonly by: string; readonly at: Origin | null } | null;
  /** What was asked for and did not count, and why. */
  readonly overruled: readonly { readonly choice: string; readonly value: string; readonly by: string }[];
  /** Every condition and strategy on the way. */
  readonly route: readonly RouteNode[];
  /** In the order in which they would be tried. */
  readonly targets: readonly ExplainedTarget[];
  readonly plugins: readonly { readonly name: string; readonly moment: string; readonly said: string | null }[];
  /** Headers of the caller that do not go upstream, with the reason. */
  readonly removed_headers: readonly { readonly name: string; readonly why: string }[];
  readonly warnings: readonly string[];
  readonly log: { readonly bodies: string; readonly at: Origin | null };
  /** The response that the gateway would give by itself: an error, or one that no provider is needed for. */
  readonly answer: { readonly status: number; readonly code: string | null; readonly message: string; readonly hint: string | null } | null;
}

/** Where a value is written. */
export interface Origin {
  readonly file: string;
  readonly line: number;
}

export interface RouteNode {
  readonly node: string;
  readonly strategy: 'single' | 'fallback' | 'loadbalance' | 'conditional';
  readonly at: Origin | null;
  /** Conditional: each condition in its order. */
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
  /** When it would be left, or why it is not tried at all. */
  readonly left_on: string;
  readonly goes_here: boolean;
  readonly url: string | null;
  readonly method: string | null;
  /** Credentials as references. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** As text; null where it can't be shown as text. */
  readonly body: string | null;
  readonly differences: readonly Difference[];
  readonly retry: string;
  /** When the target is left out for a while; null: never. */
  readonly circuit: string | null;
  readonly timeouts: Readonly<Record<string, string>>;
  /** Price of the input, exact decimal; null: unknown. */
  readonly cost_usd: string | null;
  readonly problem: string | null;
}

/** One field that is not the same in two bodies. */
export interface Difference {
  /** As `messages[0].content`. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed' | 'moved';
  /** Moved: where the same value was before, as a path. */
  readonly from?: string | undefined;
  /** JSON text, cut; absent where there is none on this side. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** `override_params`, `labels`, `model name`, `stored prompt`, `format google-generate`, `not known to this provider`, … */
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
  /** Name of an API key whose rules hold, without its secret. */
  readonly key?: string | undefined;
  /** A recorded request; the other members overrule it. */
  readonly from_log?: string | undefined;
  /** What targets say: `openai-main` → 429, `timeout`, `reset`. */
  readonly assume?: Readonly<Record<string, number | 'timeout' | 'reset'>> | undefined;
  /** In [0, 1): decides weights. */
  readonly random?: number | undefined;
}
