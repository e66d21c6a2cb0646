import { GatewayError } from '#core/error.ts';
import type { JsonObject } from '#core/json/merge.ts';
import type { Call, StepReply, Translation, UpstreamRequest } from '#core/provider.ts';
import { OpaqueTap } from '#formats/shared/response/json-tap.ts';
import { paramOf } from '../../_shared/address.ts';
import { objectsIn, parseObject, textOf } from '#formats/shared/json.ts';

/** The part of a list that a client requests. */
export interface PageParams {
  /** Id of the last object on the client's previous page. */
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * Parses `after` and `limit`.
 *
 * @throws GatewayError `invalid_type`, `integer_below_min_value`, `integer_above_max_value` for an invalid limit
 */
export function pageParamsOf({ query }: Pick<Call, 'query'>, defaultLimit: number, maxLimit = Number.POSITIVE_INFINITY): PageParams {
  const after = paramOf(query, 'after');
  const text = paramOf(query, 'limit');
  const limit = text === undefined || text === '' ? defaultLimit : Number(text);
  if (!Number.isInteger(limit)) {
    throw new GatewayError('invalid_type', { message: "Invalid type for 'limit': expected an integer.", param: 'limit' });
  }
  if (limit < 1)
    throw outOfRange('integer_below_min_value', `integer below minimum value. Expected a value >= 1, but got ${limit} instead.`);
  if (limit > maxLimit)
    throw outOfRange('integer_above_max_value', `integer above maximum value. Expected a value <= ${maxLimit}, but got ${limit} instead.`);
  return { after: after === '' ? undefined : after, limit };
}

const outOfRange = (code: 'integer_below_min_value' | 'integer_above_max_value', what: string): GatewayError =>
  new GatewayError(code, { message: `Invalid 'limit': ${what}`, param: 'limit' });

/** One page of a list from the service. */
export interface Page {
  readonly rows: readonly JsonObject[];
  readonly token: string | undefined;
}

export function pageOf(text: string, key: string): Page {
  const object = parseObject(text);
  return { rows: objectsIn(object?.[key]), token: textOf(object?.['nextPageToken']) };
}

/** A list that is read with one request per page. */
interface PagedList {
  /** Builds the request for a page; the first has no token. */
  request(token: string | undefined): UpstreamRequest;
  /** Returns the token of the next page, from the responses so far. @throws GatewayError if no page can contain the requested rows */
  next(texts: readonly string[]): string | undefined;
  result(texts: readonly string[]): unknown;
}

/** Reads pages of a list one after the other until there are enough rows. */
export class Pages implements Translation {
  readonly request: UpstreamRequest;
  readonly tap = new OpaqueTap();
  readonly #list: PagedList;
  /** The responses so far. */
  readonly #texts: readonly string[];

  constructor(list: PagedList, token?: string, texts: readonly string[] = []) {
    this.request = list.request(token);
    this.#list = list;
    this.#texts = texts;
  }

  then({ text }: StepReply): Translation | undefined {
    const texts = [...this.#texts, text];
    const token = this.#list.next(texts);
    return token === undefined ? undefined : new Pages(this.#list, token, texts);
  }

  result(text: string): unknown {
    return this.#list.result([...this.#texts, text]);
  }
}

/** The rows that the client requested, from the pages so far. */
export interface PageSelection {
  readonly rows: readonly JsonObject[];
  readonly hasMore: boolean;
  /** Token of the next page, if more rows are needed and there is one. */
  readonly next: string | undefined;
  /** False until `after` was found. */
  readonly isFound: boolean;
}

/** Selects the rows after `after` from all pages: the service uses page tokens, clients use ids. */
export function selectRows(pages: readonly Page[], idOf: (row: JsonObject) => string, { after, limit }: PageParams): PageSelection {
  const all = pages.flatMap(({ rows }) => rows);
  const token = pages.at(-1)?.token;
  const at = after === undefined ? -1 : all.findIndex((row) => idOf(row) === after);
  const isFound = after === undefined || at >= 0;
  const following = isFound ? all.slice(at + 1) : [];
  const isEnough = isFound && following.length >= limit;
  return {
    rows: following.slice(0, limit),
    hasMore: following.length > limit || token !== undefined,
    next: isEnough ? undefined : token,
    isFound,
  };
}

/** Error for an `after` that is not in the list. */
export const afterNotFound = (what: string, after: string | undefined): GatewayError =>
  new GatewayError('invalid_value', {
    message: `Invalid 'after': no ${what} "${(after ?? '').slice(0, 100)}" is in this list.`,
    param: 'after',
    hint: 'Use the last_id of the previous page.',
  });

/** Error for an `after` beyond the maximum number of pages: lists are always read from the beginning. */
export const afterTooOld = (what: string, after: string | undefined, seen: number): GatewayError =>
  new GatewayError('invalid_value', {
    message: `Invalid 'after': nothing after the ${what} "${(after ?? '').slice(0, 100)}" is among the newest ${seen}.`,
    param: 'after',
    hint: 'This provider lists only the newest objects; request older ones by their id.',
  });
