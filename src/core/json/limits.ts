import { GatewayError } from '../error.ts';

/** Limits of a JSON text, so that parsing or walking it takes time and memory in proportion to its bytes. */
export interface JsonLimits {
  /** Maximum nesting depth of objects and arrays, including the outermost. */
  readonly depth: number;
  /**
   * Maximum number of object members plus objects and arrays. Sixteen commas count as one: elements of plain arrays, such
   * as the numbers of a vector, cost far less.
   */
  readonly members: number;
}

/** Default limits of a request. */
export const requestLimits: JsonLimits = Object.freeze({ depth: 128, members: 100_000 });

/** Limits of a provider's response. Lists of files and models are longer than any request. */
export const responseLimits: JsonLimits = Object.freeze({ depth: 128, members: 500_000 });

/** For texts that the gateway wrote. */
export const noLimits: JsonLimits = Object.freeze({ depth: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY });

/** Cost of a member in the budget. A comma costs 1. */
export const memberCost = 16;

/** Counts the contents of a text during a scan: the scanner subtracts from `left`, and stops when it is negative. */
export class JsonBudget {
  readonly limits: JsonLimits;
  left: number;
  /** Maximum nesting depth of a value. */
  readonly levels: number;

  /** @param open nesting levels around the values scanned with this budget */
  constructor(limits: JsonLimits, open = 0) {
    this.limits = limits;
    this.levels = limits.depth - open;
    this.left = limits.members * memberCost;
  }

  /** @param at offset into the text */
  tooDeep(at: number): GatewayError {
    return tooComplex(`is nested more than ${this.limits.depth} levels deep`, at, 'depth');
  }

  /** @param at offset into the text */
  tooMany(at: number): GatewayError {
    return tooComplex(`has more than ${this.limits.members} members`, at, 'members');
  }
}

function tooComplex(what: string, at: number, limit: keyof JsonLimits): GatewayError {
  return new GatewayError('json_too_complex', {
    message: `The JSON ${what} at position ${at}.`,
    hint: `Send less in one request. The limit is server.json.max_${limit}.`,
  });
}
