import { GatewayError } from '#core/error.ts';
import { isPlain, type Plain } from '#core/json/merge.ts';
import type { Call, StepReply, Translation, UpstreamRequest } from '#core/provider.ts';
import { WholeTap } from '#formats/shared/answer/json-tap.ts';
import { paramOf } from '../../_shared/address.ts';
import { parseObject, textOf } from '#formats/shared/json.ts';

/** Which part of a list a client asks for. */
export interface Wanted {
  /** Id of the last object that the client has. */
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * Reads `after` and `limit`.
 *
 * @throws GatewayError `invalid_type`, `integer_below_min_value`, `integer_above_max_value` for a limit that is none
 */
export function wantedOf({ query }: Pick<Call, 'query'>, usual: number, most = Number.POSITIVE_INFINITY): Wanted {
  const after = paramOf(query, 'after');
  const text = paramOf(query, 'limit');
  const limit = text === undefined || text === '' ? usual : Number(text);
  if (!Number.isInteger(limit)) {
    throw new GatewayError('invalid_type', { message: "Invalid type for 'limit': expected an integer.", param: 'limit' });
  }
  if (limit < 1)
    throw outOfRange('integer_below_min_value', `integer below minimum value. Expected a value >= 1, but got ${limit} instead.`);
  if (limit > most)
    throw outOfRange('integer_above_max_value', `integer above maximum value. Expected a value <= ${most}, but got ${limit} instead.`);
  return { after: after === '' ? undefined : after, limit };
}

const outOfRange = (code: 'integer_below_min_value' | 'integer_above_max_value', what: string): GatewayError =>
  new GatewayError(code, { message: `Invalid 'limit': ${what}`, param: 'limit' });

/** One page of a list of the service. */
export interface Page {
  readonly rows: readonly Plain[];
  readonly token: string | undefined;
}

export function pageOf(text: string, key: string): Page {
  const object = parseObject(text);
  const rows: unknown = object?.[key];
  return { rows: Array.isArray(rows) ? rows.filter(isPlain) : [], token: textOf(object?.['nextPageToken']) };
}

/** A list of which one request gives a page. */
interface PagedList {
  /** The request for a page; for the first without a token. */
  request(token?: string): UpstreamRequest;
  /** The page to ask for next, by the answers so far. @throws GatewayError where none can hold what is looked for */
  next(texts: readonly string[]): string | undefined;
  result(texts: readonly string[]): unknown;
}

/** Pages of a list, read one after the other until there is enough. */
export class Pages implements Translation {
  readonly request: UpstreamRequest;
  readonly tap = new WholeTap();
  readonly #list: PagedList;
  /** The answers so far. */
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

/** What of the pages so far the client asked for. */
export interface Cut {
  readonly rows: readonly Plain[];
  readonly hasMore: boolean;
  /** The page to ask for next, when the rows are not enough and there is one. */
  readonly next: string | undefined;
  /** False while `after` was not met. */
  readonly isFound: boolean;
}

/** Cuts the rows behind `after` out of all pages: the service knows page tokens, clients know ids. */
export function cutOf(pages: readonly Page[], idOf: (row: Plain) => string, { after, limit }: Wanted): Cut {
  const all = pages.flatMap(({ rows }) => rows);
  const token = pages.at(-1)?.token;
  const at = after === undefined ? -1 : all.findIndex((row) => idOf(row) === after);
  const isFound = after === undefined || at >= 0;
  const behind = isFound ? all.slice(at + 1) : [];
  const isEnough = isFound && behind.length >= limit;
  return {
    rows: behind.slice(0, limit),
    hasMore: behind.length > limit || token !== undefined,
    next: isEnough ? undefined : token,
    isFound,
  };
}

/** `after` is empty that is in the list. */
export const unknownAfter = (what: string, after: string | undefined): GatewayError =>
  new GatewayError('invalid_value', {
    message: `Invalid 'after': no ${what} "${(after ?? '').slice(0, 100)}" is in this list.`,
    param: 'after',
    hint: 'Use the last_id of the previous page.',
  });

/** A list is paged by walking it from its beginning, and the walk has an end. */
export const tooDeep = (what: string, after: string | undefined, seen: number): GatewayError =>
  new GatewayError('invalid_value', {
    message: `Invalid 'after': nothing after the ${what} "${(after ?? '').slice(0, 100)}" is among the newest ${seen}.`,
    param: 'after',
    hint: 'This provider lists only the newest objects; request older ones by their id.',
  });
