/** What a load run says: the fields of the Go tool's last line that the benchmark uses, and what our own client prints. */
export interface LoadResult {
  readonly ok: number;
  readonly errors: number;
  /** Answers cut short or without their end mark. */
  readonly incomplete: number;
  readonly rps: number;
  /** Events of all streams. */
  readonly events?: number;
  readonly first_error?: string;
  readonly latency_ms: { readonly p50: number; readonly p99: number };
  readonly ttft_ms: { readonly p50: number; readonly p99: number };
}

/** One load: closed loop over `conns` connections, or `rate` requests a second. Times in milliseconds. */
export interface Load {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly conns: number;
  readonly durationMs: number;
  readonly stream: boolean;
  readonly rate?: number;
  /** An upper bound on requests. */
  readonly requests?: number;
  /** Length of a base64 image in each request, in bytes. */
  readonly imageBytes?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How the upstream streams, the same for every system under test. */
export const pacing = { chunks: 50, delayMs: 5 } as const;
