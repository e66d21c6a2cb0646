import type { Endpoint } from '../endpoint.ts';
import { isExactNumber, isJsonObject, type JsonObject } from '../json/merge.ts';

/** Places of a request body in which the same parameter may be written. A dot leads to a member of an object. */
export interface SameMeaning {
  readonly places: readonly string[];
  /** True for values that can be sent together. If absent, a written value replaces those of all other places. */
  readonly agree?: (one: unknown, other: unknown) => boolean;
}

interface Parameter extends SameMeaning {
  /** The places that a route reads, the preferred one first. */
  readonly readOn?: { readonly [E in Endpoint]?: readonly string[] };
}

/** Thinking whose amount is left open. An effort next to it sets the amount. */
const isUnboundedThinking = (value: unknown): boolean =>
  isJsonObject(value) &&
  value['budget_tokens'] === undefined &&
  (value['type'] === 'adaptive' || (value['type'] === undefined && value['display'] !== undefined));

const isEffort = (value: unknown): boolean => typeof value === 'string' && value.toLowerCase() !== 'none';

/** True for open thinking and an effort. Anything else of the two contradicts each other, or one makes the other redundant. */
export const thinkingAgrees = (one: unknown, other: unknown): boolean =>
  (isUnboundedThinking(one) && isEffort(other)) || (isUnboundedThinking(other) && isEffort(one));

/** Parameters that the formats of clients write in several places. */
const parameters: readonly Parameter[] = [
  {
    places: ['max_completion_tokens', 'max_tokens', 'max_output_tokens'],
    readOn: {
      'chat/completions': ['max_completion_tokens', 'max_tokens'],
      completions: ['max_tokens'],
      messages: ['max_tokens'],
      responses: ['max_output_tokens'],
    },
  },
  {
    places: [
      'reasoning_effort',
      'reasoning.effort',
      'reasoning.max_tokens',
      'reasoning.enabled',
      'output_config.effort',
      'thinking',
      'thinking_config',
      'thinkingConfig',
    ],
    agree: thinkingAgrees,
  },
  {
    places: ['reasoning_effort', 'reasoning.effort', 'output_config.effort'],
    readOn: {
      messages: ['output_config.effort'],
      'messages/count_tokens': ['output_config.effort'],
      responses: ['reasoning.effort'],
      'responses/input_tokens': ['reasoning.effort'],
    },
  },
  { places: ['verbosity', 'text.verbosity'], readOn: { responses: ['text.verbosity'] } },
  { places: ['stop', 'stop_sequences'] },
  { places: ['tools', 'functions'] },
  { places: ['tool_choice', 'function_call'] },
  { places: ['response_format', 'output_config.format', 'output_format', 'text.format'] },
];

/** Routes that read a parameter in a place of their own. */
export const routesWithSpecificFields = [...new Set(parameters.flatMap(({ readOn }) => Object.keys(readOn ?? {})))] as readonly Endpoint[];

/** Returns the other places of a parameter, whose values must be removed when the parameter is written. */
export const otherPaths = (place: string): readonly string[] => [
  ...new Set(parameters.filter(({ places }) => places.includes(place)).flatMap(({ places }) => places.filter((other) => other !== place))),
];

/** A place whose value is removed, because another place of the same parameter was written. */
export interface OverruledField {
  readonly path: readonly string[];
  /** The place differs only in spelling: `topP` instead of `top_p`. */
  readonly isAlias: boolean;
  /** True for values that do not contradict the written one. */
  readonly keeps?: (present: unknown) => boolean;
}

/** Returns the places of a body with the same meaning as written fields. @param more parameters with further places */
export function fieldsOverruledBy(written: JsonObject, more: readonly SameMeaning[] = []): readonly OverruledField[] {
  const found = aliasesOf(written, [], 0);
  for (const { places, agree } of [...parameters, ...more]) {
    const values = places.map((place) => valueAt(written, place.split('.'))).filter((value) => value !== undefined);
    if (values.length === 0) continue;
    const keeps = agree === undefined ? {} : { keeps: (present: unknown) => values.every((value) => agree(value, present)) };
    for (const place of places) {
      const path = place.split('.');
      if (valueAt(written, path) === undefined) found.push({ path, isAlias: false, ...keeps });
    }
  }
  return found;
}

/** Objects whose member names are chosen by the caller. */
const freeFormFields: ReadonlySet<string> = new Set(['labels', 'metadata']);

/** How deep spellings are compared. Deeper objects may be schemas, whose members have any name. */
const maxDepth = 2;

/** Other spellings of written members, because some services accept both `top_p` and `topP`. */
function aliasesOf(written: JsonObject, path: readonly string[], depth: number): OverruledField[] {
  return Object.entries(written).flatMap(([key, value]) => {
    const others = [toSnakeCase(key), toCamelCase(key)].filter((name) => name !== key && !Object.hasOwn(written, name));
    const here = others.map((name): OverruledField => ({ path: [...path, name], isAlias: true }));
    const isNested = depth + 1 < maxDepth && isJsonObject(value) && !isExactNumber(value) && !freeFormFields.has(key);
    return isNested ? [...here, ...aliasesOf(value, [...path, key], depth + 1)] : here;
  });
}

/** Writes `topP` as `top_p`. */
export const toSnakeCase = (name: string): string => name.replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const toCamelCase = (name: string): string => name.replaceAll(/(?<=[a-z\d])_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Returns a value without one place; undefined if nothing is left of it. */
export function withoutPath(value: unknown, [key, ...inner]: readonly string[]): unknown {
  if (key === undefined) return undefined;
  if (!isJsonObject(value) || !Object.hasOwn(value, key)) return value;
  const { [key]: present, ...rest } = value;
  const left = withoutPath(present, inner);
  const out = left === undefined ? rest : { ...value, [key]: left };
  return Object.keys(out).length === 0 ? undefined : out;
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}

/** Returns a body without the overruled places. */
export function withoutOverruled(body: JsonObject, overruled: readonly OverruledField[]): JsonObject {
  let out: unknown = body;
  for (const { path, keeps } of overruled) {
    const present = valueAt(out, path);
    if (present !== undefined && keeps?.(present) !== true) out = withoutPath(out, path);
  }
  return isJsonObject(out) ? out : {};
}

/** Returns written fields in the places that a route reads. */
export function withFieldNamesOf(endpoint: string, written: JsonObject): JsonObject {
  let out = written;
  for (const { places, readOn = {} } of parameters) {
    const read = Object.entries(readOn).find(([route]) => route === endpoint)?.[1];
    const given = places.filter((place) => valueAt(written, place.split('.')) !== undefined);
    const unread = given.filter((place) => read?.includes(place) === false);
    if (read?.[0] === undefined || unread.length === 0) continue;
    const target = given.find((place) => read.includes(place)) ?? read[0];
    const value = valueAt(written, (given.includes(target) ? target : (given[0] ?? '')).split('.'));
    for (const place of unread) out = objectOrEmpty(withoutPath(out, place.split('.')));
    out = withPath(out, target.split('.'), value);
  }
  return out;
}

const objectOrEmpty = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

function withPath(object: JsonObject, [key = '', ...inner]: readonly string[], value: unknown): JsonObject {
  return { ...object, [key]: inner.length === 0 ? value : withPath(objectOrEmpty(object[key]), inner, value) };
}
