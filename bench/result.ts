/** Result of a load run: the used fields of the last output line of the Go tool, and the output of the Node load client. */
export interface LoadResult {
  readonly ok: number;
  readonly errors: number;
  /** Responses that were truncated or lack their end mark. */
  readonly incomplete: number;
  readonly rps: number;
  /** Number of events of all streams. */
  readonly events?: number;
  readonly first_error?: string;
  readonly latency_ms: { readonly p50: number; readonly p99: number };
  readonly ttft_ms: { readonly p50: number; readonly p99: number };
}

/** One load: closed loop over `conns` connections, or `rate` requests per second. Times in milliseconds. */
export interface Load {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly conns: number;
  readonly durationMs: number;
  readonly stream: boolean;
  readonly rate?: number;
  /** Maximum number of requests. */
  readonly requests?: number;
  /** Length of a base64 image in each request, in bytes. */
  readonly imageBytes?: number;
  /** File with the body of each request. */
  readonly bodyFile?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Pacing of the upstream's streams, the same for all systems. */
export const pacing = { chunks: 50, delayMs: 5 } as const;
