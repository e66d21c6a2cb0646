import type { Node, SourceLocation } from '../config/read/node.ts';

/** One test of a file. */
export interface TestCase {
  readonly name: string;
  readonly request: TestRequest;
  /** What each provider responds, by slug: always the same, or one entry for each request that is sent to it. */
  readonly upstream: Readonly<Record<string, ScriptEntry | readonly ScriptEntry[]>>;
  /** The test as it is written, for the locations of failures. */
  readonly node: Node;
}

export interface TestRequest {
  /** Name of the config, as in the header. */
  readonly config?: string;
  /** Name of the API key. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string | number | boolean>>;
  readonly method?: string;
  readonly path?: string;
  readonly stream?: boolean;
  /** Random number of the request, which chooses between weights. */
  readonly random?: number;
  /** JSON, or text. A file is already read. */
  readonly body?: unknown;
}

/** What a provider does with one request. */
export type ScriptEntry = number | 'timeout' | 'reset' | ScriptedResponse;

export interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | number | boolean>>;
  /** JSON, or text. A file is already read. */
  readonly body?: unknown;
  /** Pieces of a stream: a mapping is sent as an event, a text as it is. */
  readonly chunks?: readonly unknown[];
  readonly delay?: string;
  readonly chunk_delay?: string;
  /** How the response ends too early. */
  readonly end?: 'timeout' | 'reset';
}

/** Something that is not as the test expects. */
export interface Failure {
  /** For example `error.code`, `sent.temperature`. */
  readonly what: string;
  readonly expected: string;
  readonly got: string;
  readonly at: SourceLocation;
}

export interface TestResult {
  readonly name: string;
  readonly at: SourceLocation;
  readonly failures: readonly Failure[];
  /** Duration in real milliseconds. */
  readonly ms: number;
}
