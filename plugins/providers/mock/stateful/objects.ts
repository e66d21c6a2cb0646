import { parseJson } from '#core/json/scan.ts';
import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { listOf } from '#formats/openai-objects/objects.ts';
import { paramOf } from '../../_shared/address.ts';
import type { Responder, MockRequest } from '../mock-response.ts';
import { oneOf, Refusal, integer, wrongType } from '../rules.ts';

/**
 * The mock stores nothing: an id contains the data of its object, so that a created object is found again, and its
 * state depends on the time. All other ids are unknown.
 */
export interface IdEncoding<Parts> {
  readonly prefix: string;
  /** The encoded properties in their order, each with a type check. */
  readonly parts: { readonly [Part in keyof Parts]: (value: unknown) => value is Parts[Part] };
}

/** Maximum length of an id, because it is part of a path. */
const maxIdLength = 8_000;

/** Encodes properties as an id. @throws Refusal if they do not fit */
export function encodeId<Parts>({ prefix, parts }: IdEncoding<Parts>, object: Parts): string {
  const values = (Object.keys(parts) as (keyof Parts)[]).map((part) => object[part]);
  const id = prefix + Buffer.from(JSON.stringify(values), 'utf8').toString('base64url');
  if (id.length <= maxIdLength) return id;
  const param = 'metadata' in parts ? 'metadata' : null;
  throw new Refusal('invalid_value', param, 'The mock stores the request in the id of an object, and this request is too large for an id.');
}

/** The object of an id; undefined if the id was not made here, or is of another kind. */
export function decodeId<Parts>(encoding: IdEncoding<Parts>, id: string): Parts | undefined {
  const { prefix, parts } = encoding;
  if (!id.startsWith(prefix) || id.length > maxIdLength) return undefined;
  try {
    const values = parseJson(Buffer.from(id.slice(prefix.length), 'base64url').toString('utf8')) as readonly unknown[];
    const rules = Object.entries<(value: unknown) => boolean>(parts);
    if (!rules.every(([, isRight], at) => isRight(values[at]))) return undefined;
    const decoded = Object.fromEntries(rules.map(([part], at) => [part, values[at]])) as Parts;
    // Base64url decoding is lenient: a different encoding of the same data, or one with more properties, is not the same id.
    return encodeId(encoding, decoded) === id ? decoded : undefined;
  } catch {
    return undefined;
  }
}

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
/** True for Unix seconds in the range of a date. */
export const isTime = (value: unknown): value is number => isCount(value) && value < 1e10;

/** Metadata in an id: strings by name, or null. */
export const isMetadata = (value: unknown): value is Readonly<Record<string, string>> | null =>
  value === null || (isJsonObject(value) && Object.values(value).every(isText));

/** Creation time of the oldest predefined object: 2026-01-01. */
export const firstCreatedAt = 1_767_225_600;

/** The stages of a life cycle, each with its start in seconds. */
export type LifeCycle<Status> = readonly (readonly [second: number, status: Status])[];

/** Returns the stages reached at an age in seconds, always including the first. */
export const reachedStages = <Status>(life: LifeCycle<Status>, age: number): LifeCycle<Status> =>
  life.filter(([second], index) => index === 0 || second <= age);

/** Returns the progress of `stage` at an age: 0 to 1. */
export function stageProgress<Status>(life: LifeCycle<Status>, stage: Status, age: number): number {
  const from = life.findIndex(([, status]) => status === stage);
  const [start, end] = [life[from]?.[0], life[from + 1]?.[0]];
  return start === undefined || end === undefined ? 0 : Math.max(0, Math.min(1, (age - start) / (end - start)));
}

/** Rules for the pages of a list, newest first. */
export interface PageRules {
  /** Default number of rows per page. */
  readonly defaultLimit: number;
  /** Maximum number of rows per page; some lists have none. */
  readonly maxLimit?: number;
  /** True if the list supports the oldest-first order. */
  readonly hasOrder?: true;
}

/** Returns one page, selected by `limit` and `after`. `rows` are newest first. @throws Refusal */
export function pageOf({ call: { query } }: MockRequest, rows: readonly { readonly id: string }[], rules: PageRules) {
  const limit = limitOf(paramOf(query, 'limit'), rules);
  const order = rules.hasOrder === true ? paramOf(query, 'order') : undefined;
  if (order !== undefined) oneOf('asc', 'desc')(order, 'order');
  const sorted = order === 'asc' ? rows.toReversed() : rows;
  const after = paramOf(query, 'after');
  const from = after === undefined ? 0 : sorted.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && from === 0) throw new Refusal('invalid_value', 'after', `Invalid 'after': the list has no '${after}'.`);
  return { json: listOf(sorted.slice(from, from + limit), from + limit < sorted.length) };
}

function limitOf(value: string | undefined, { defaultLimit, maxLimit }: PageRules): number {
  if (value === undefined) return defaultLimit;
  if (!/^[+-]?\d+$/.test(value)) throw wrongType('limit', 'an integer');
  integer(1, maxLimit)(Number(value), 'limit');
  return Number(value);
}

/** A type of object with a life cycle: how its ids are encoded, and how its objects are found, listed and cancelled. */
export interface ObjectType<Parts> {
  readonly naming: IdEncoding<Parts>;
  /** Returns the state of an object at a time. */
  stateAt(now: number, parts: Parts): { readonly id: string; readonly status: string };
  /** Predefined objects, so that a list has several pages; newest first. */
  readonly predefined: readonly Parts[];
  readonly pageRules: PageRules;
  readonly finalStatuses: ReadonlySet<string>;
  /** Returns the fields that a cancel changes. */
  cancelled(now: number): JsonObject;
  unknown(id: string): Refusal;
}

export const forObject =
  <Parts>(
    { naming, unknown }: Pick<ObjectType<Parts>, 'naming' | 'unknown'>,
    answer: (request: MockRequest, made: Parts) => ReturnType<Responder>,
  ): Responder =>
  (request) => {
    const id = request.call.params['id'] ?? '';
    const parts = decodeId(naming, id);
    if (parts === undefined) throw unknown(id);
    return answer(request, parts);
  };

/** The routes of a list, an object, and its cancellation. */
export function objectRoutes<Parts>(kind: ObjectType<Parts>) {
  const { stateAt, predefined, pageRules, finalStatuses, cancelled } = kind;
  return {
    listed: ((request) =>
      pageOf(
        request,
        predefined.map((parts) => stateAt(request.call.createdAt, parts)),
        pageRules,
      )) satisfies Responder,
    retrieved: forObject(kind, ({ call }, parts) => ({ json: stateAt(call.createdAt, parts) })),
    /** The cancellation affects only this response. A finished object is returned unchanged. */
    cancelled: forObject(kind, ({ call: { createdAt: now } }, parts) => {
      const object = stateAt(now, parts);
      return { json: finalStatuses.has(object.status) ? object : { ...object, ...cancelled(now) } };
    }),
  };
}
