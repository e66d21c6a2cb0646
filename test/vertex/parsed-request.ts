import type { SeenRequest } from '../support/upstream.ts';

/** Refused by the cloud, in its own form. */
export class Refusal extends Error {
  readonly code: number;
  readonly status: string;

  constructor(code: number, status: string, message: string) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export const invalid = (message: string): Refusal => new Refusal(400, 'INVALID_ARGUMENT', message);
export const notFound = (message: string): Refusal => new Refusal(404, 'NOT_FOUND', message);

/** One request, taken apart. */
export interface ParsedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: SeenRequest;
  /** The body as a JSON object. */
  body(): Record<string, unknown>;
}
