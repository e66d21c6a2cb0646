import { GatewayError } from '../error.ts';

/** What a JSON text may hold, so that whoever parses or walks it needs time and memory in proportion to its bytes. */
export interface JsonLimits {
  /** Levels of objects and lists, the outermost included. */
  readonly depth: number;
  /**
   * Members of objects, and objects and lists themselves. Sixteen commas count as one more: items of plain lists, such
   * as the numbers of a vector, cost far less.
   */
  readonly members: number;
}

/** Of a request, unless the configuration says otherwise. */
export const requestLimits: JsonLimits = Object.freeze({ depth: 128, members: 100_000 });

/** Of what a provider answers: lists of files and models are longer than any request. */
export const answerLimits: JsonLimits = Object.freeze({ depth: 128, members: 500_000 });

/** Of texts that the gateway wrote itself. */
export const noLimits: JsonLimits = Object.freeze({ depth: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY });

/** What a member takes from the budget, where a comma takes 1. */
export const memberCost = 16;

/** Counts what a text holds while somebody reads it: the reader subtracts, and stops where nothing is left. */
export class JsonBudget {
  readonly limits: JsonLimits;
  left: number;
  /** Levels that a value may have. */
  readonly levels: number;

  /** @param open levels around the values that are read with it */
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
