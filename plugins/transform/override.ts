import type { BodyPatch, JsonBody } from '#core/json/body.ts';
import { isObject, merge, type JsonObject } from '#core/json/merge.ts';
import {
  withFieldNamesOf,
  type OverruledField,
  fieldsOverruledBy,
  routesWithSpecificFields,
  valueAt,
  withoutPath,
} from '#core/model/field-names.ts';
import type { Endpoint } from '#core/endpoint.ts';
import type { SameMeaning } from '#core/provider.ts';

/** Compiled `override_params`. */
export interface Override {
  /** Replaces the requested model. Its slug was removed at compile time. */
  readonly model: string | undefined;
  /** The client decides about streaming, so this value only causes a warning. */
  readonly stream: unknown;
  readonly members: readonly { readonly key: string; readonly value: unknown }[];
  /** Places of the body with the same meaning. Their values are removed. */
  readonly overruled: readonly OverruledField[];
}

/** The overrides of a target, for each route that uses another name for one of their members, and for the places that an operation reads. */
export class Overrides {
  readonly #source: JsonObject;
  readonly #default: Override;
  readonly #byEndpoint = new Map<Endpoint, Override>();
  readonly #byOperation = new WeakMap<readonly SameMeaning[], Map<Endpoint, Override>>();

  constructor(override: JsonObject) {
    this.#source = override;
    this.#default = compile(override);
    for (const endpoint of routesWithSpecificFields) {
      const named = withFieldNamesOf(endpoint, override);
      if (named !== override) this.#byEndpoint.set(endpoint, compile(named));
    }
  }

  /** @param sameMeaning further places that the operation of the attempt reads */
  forEndpoint(endpoint: Endpoint, sameMeaning?: readonly SameMeaning[]): Override {
    if (sameMeaning === undefined) return this.#byEndpoint.get(endpoint) ?? this.#default;
    let compiledByEndpoint = this.#byOperation.get(sameMeaning);
    if (compiledByEndpoint === undefined) this.#byOperation.set(sameMeaning, (compiledByEndpoint = new Map()));
    let override = compiledByEndpoint.get(endpoint);
    if (override === undefined)
      compiledByEndpoint.set(endpoint, (override = compile(withFieldNamesOf(endpoint, this.#source), sameMeaning)));
    return override;
  }
}

function compile(override: JsonObject, sameMeaning?: readonly SameMeaning[]): Override {
  const { model, stream, ...rest } = override;
  return {
    model: typeof model === 'string' ? model : undefined,
    stream,
    members: Object.entries(rest).map(([key, value]) => ({ key, value })),
    overruled: fieldsOverruledBy(rest, sameMeaning),
  };
}

/**
 * The top-level members of this body that the override changes. Objects are merged with those of the body; other values are
 * replaced.
 */
export function overridePatch(override: Override, body: JsonBody): BodyPatch | undefined {
  let patch: Map<string, unknown> | undefined;
  for (const { key, value } of override.members) {
    if (isObject(value)) {
      const present = body.exact(key);
      patch ??= new Map();
      patch.set(key, isObject(present) ? merge(present, value) : value);
    } else if (body.peek(key) !== value) {
      patch ??= new Map();
      patch.set(key, value);
    }
  }
  for (const { path, keeps } of override.overruled) {
    const [key = '', ...inner] = path;
    if (!body.has(key) || (patch?.has(key) === true && patch.get(key) === undefined)) continue;
    // A whole member is removed without being parsed.
    const present = inner.length === 0 && keeps === undefined ? undefined : patch?.has(key) === true ? patch.get(key) : body.exact(key);
    const value = valueAt(present, inner);
    if (keeps?.(value) === true || (inner.length > 0 && value === undefined)) continue;
    patch ??= new Map();
    patch.set(key, withoutPath(present, inner));
  }
  return patch;
}
