import { parseJson } from '#core/json/scan.ts';
import { isPlain, type Plain } from '#core/json/merge.ts';
import { listOf } from '#formats/openai-objects/objects.ts';
import { paramOf } from '../../_shared/address.ts';
import type { Answer, Question } from '../answer.ts';
import { one, Refusal, whole, wrongType } from '../rules.ts';

/**
 * The mock stores nothing: an id contains the data of its object, so that a created object is found again, and how
 * far its life is follows from the time. Everything else is an id that nobody gave.
 */
export interface Naming<Parts> {
  readonly prefix: string;
  /** The parts of an id, in their order, each with what it may be. */
  readonly parts: { readonly [Part in keyof Parts]: (value: unknown) => value is Parts[Part] };
}

/** Characters of an id: a path is no place for more. */
const longest = 8_000;

/** @throws Refusal where an id cannot hold it */
export function idOf<Parts>({ prefix, parts }: Naming<Parts>, made: Parts): string {
  const values = (Object.keys(parts) as (keyof Parts)[]).map((part) => made[part]);
  const id = prefix + Buffer.from(JSON.stringify(values), 'utf8').toString('base64url');
  if (id.length <= longest) return id;
  const param = 'metadata' in parts ? 'metadata' : null;
  throw new Refusal('invalid_value', param, 'The mock stores the request in the id of an object, and this request is too large for an id.');
}

/** The object of an id; undefined if the id was not made here, or is of another kind. */
export function named<Parts>(naming: Naming<Parts>, id: string): Parts | undefined {
  const { prefix, parts } = naming;
  if (!id.startsWith(prefix) || id.length > longest) return undefined;
  try {
    const values = parseJson(Buffer.from(id.slice(prefix.length), 'base64url').toString('utf8')) as readonly unknown[];
    const rules = Object.entries<(value: unknown) => boolean>(parts);
    if (!rules.every(([, isRight], at) => isRight(values[at]))) return undefined;
    const made = Object.fromEntries(rules.map(([part], at) => [part, values[at]])) as Parts;
    // Decoding is generous: an id that is written in another way, or with more parts, is another id.
    return idOf(naming, made) === id ? made : undefined;
  } catch {
    return undefined;
  }
}

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
/** Unix seconds that a date can hold. */
export const isTime = (value: unknown): value is number => isCount(value) && value < 1e10;

/** Metadata as it is in an id: texts by name, or null. */
export const isMetadata = (value: unknown): value is Readonly<Record<string, string>> | null =>
  value === null || (isPlain(value) && Object.values(value).every(isText));

/** The first of the objects that every list has: 2026-01-01. */
export const firstCreated = 1_767_225_600;

/** The stages of a life, and the second of it in which each begins. */
export type Life<Status> = readonly (readonly [second: number, status: Status])[];

/** The stages that a life has reached at an age, the first always. */
export const reached = <Status>(life: Life<Status>, age: number): Life<Status> =>
  life.filter(([second], index) => index === 0 || second <= age);

/** How much of the stage of work is done at an age: 0 to 1. */
export function progress<Status>(life: Life<Status>, work: Status, age: number): number {
  const from = life.findIndex(([, status]) => status === work);
  const [start, end] = [life[from]?.[0], life[from + 1]?.[0]];
  return start === undefined || end === undefined ? 0 : Math.max(0, Math.min(1, (age - start) / (end - start)));
}

/** A list that is read page by page, newest first. */
export interface PageRules {
  /** Rows of a page where the request doesn't say. */
  readonly usual: number;
  /** The most that may be asked for; some lists state none. */
  readonly most?: number;
  /** The list may be asked for oldest first. */
  readonly ordered?: true;
}

/** One page by `limit` and `after`. `rows` are newest first. @throws Refusal */
export function pageOf({ call: { query } }: Question, rows: readonly { readonly id: string }[], rules: PageRules) {
  const limit = limitOf(paramOf(query, 'limit'), rules);
  const order = rules.ordered === true ? paramOf(query, 'order') : undefined;
  if (order !== undefined) one('asc', 'desc')(order, 'order');
  const sorted = order === 'asc' ? rows.toReversed() : rows;
  const after = paramOf(query, 'after');
  const from = after === undefined ? 0 : sorted.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && from === 0) throw new Refusal('invalid_value', 'after', `Invalid 'after': the list has no '${after}'.`);
  return { json: listOf(sorted.slice(from, from + limit), from + limit < sorted.length) };
}

function limitOf(value: string | undefined, { usual, most }: PageRules): number {
  if (value === undefined) return usual;
  if (!/^[+-]?\d+$/.test(value)) throw wrongType('limit', 'an integer');
  whole(1, most)(Number(value), 'limit');
  return Number(value);
}

/** Objects with a life: how they are named, found, listed and cancelled. */
export interface Living<Parts> {
  readonly naming: Naming<Parts>;
  /** An object as it is at a moment. */
  at(now: number, made: Parts): { readonly id: string; readonly status: string };
  /** Those of the past, so that a list has pages; newest first. */
  readonly past: readonly Parts[];
  readonly page: PageRules;
  readonly isOver: ReadonlySet<string>;
  /** What a cancel changes. */
  cancelled(now: number): Plain;
  unknown(id: string): Refusal;
}

export const found =
  <Parts>(
    { naming, unknown }: Pick<Living<Parts>, 'naming' | 'unknown'>,
    answer: (asked: Question, made: Parts) => ReturnType<Answer>,
  ): Answer =>
  (asked) => {
    const id = asked.call.params['id'] ?? '';
    const made = named(naming, id);
    if (made === undefined) throw unknown(id);
    return answer(asked, made);
  };

/** The answers of a list, an object, and its cancellation. */
export function living<Parts>(kind: Living<Parts>) {
  const { at, past, page, isOver, cancelled } = kind;
  return {
    listed: ((asked) =>
      pageOf(
        asked,
        past.map((made) => at(asked.call.createdAt, made)),
        page,
      )) satisfies Answer,
    retrieved: found(kind, ({ call }, made) => ({ json: at(call.createdAt, made) })),
    /** It is cancelled in this answer alone; one that is over is answered as it is. */
    cancelled: found(kind, ({ call: { createdAt: now } }, made) => {
      const object = at(now, made);
      return { json: isOver.has(object.status) ? object : { ...object, ...cancelled(now) } };
    }),
  };
}
