import type { BodyPatch, JsonBody } from '#core/json/body.ts';
import { isExactNumber, isObject, merge, type Plain } from '#core/json/merge.ts';
import { limitNamedFor, limitRoutes, overruledBy } from '#core/model/limit-names.ts';
import type { Routed } from '#core/context.ts';
import { type Endpoint, traitsOf } from '#core/endpoint.ts';
import type { UpstreamRequest } from '#core/provider.ts';
import { checkEnforced } from './enforced.ts';

/** Compiled `override_params`. */
export interface Override {
  /** Replaces the requested model. Its slug was removed at compile time. */
  readonly model: string | undefined;
  /** The client decides about streaming, so this value only causes a warning. */
  readonly stream: unknown;
  readonly members: readonly { readonly key: string; readonly value: unknown }[];
  /** Members of the body with the same meaning under another name. They are removed. */
  readonly overruled: readonly string[];
}

/** The overrides of a target, for each route that uses another name for one of their members. */
export class Overrides {
  readonly #usual: Override;
  readonly #special = new Map<Endpoint, Override>();

  constructor(override: Plain) {
    this.#usual = compiled(override);
    for (const endpoint of limitRoutes) {
      const named = limitNamedFor(endpoint, override);
      if (named !== override) this.#special.set(endpoint, compiled(named));
    }
  }

  on(endpoint: Endpoint): Override {
    return this.#special.get(endpoint) ?? this.#usual;
  }
}

function compiled(override: Plain): Override {
  const { model, stream, ...rest } = override;
  return {
    model: typeof model === 'string' ? model : undefined,
    stream,
    members: Object.entries(rest).map(([key, value]) => ({ key, value })),
    overruled: overruledBy(rest),
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
  for (const key of override.overruled) if (body.has(key)) (patch ??= new Map()).set(key, undefined);
  return patch;
}

/**
 * A form with the target's overrides as text fields. Uploads are not changed, because they are stored and not run. Values
 * that no text field can contain are omitted with a warning.
 */
export function withOverride(ctx: Routed, override: Override, upstream: UpstreamRequest): UpstreamRequest {
  const { body } = upstream;
  const { members } = override;
  if (body.kind !== 'form' || members.length === 0 || traitsOf(ctx.endpoint).file === 'up') return upstream;
  const fields = new Map<string, string | undefined>();
  for (const { key, value } of members) {
    const text = textOf(value);
    if (text !== undefined) fields.set(key, text);
    else warn(ctx, `override_params.${key} is not applied: a form has no field for it`);
  }
  for (const [name, text] of body.edit?.fields ?? []) fields.set(name, text);
  // What follows the file of a form that is on its way is known only then.
  const isEnforced = ctx.facts.caller.key?.enforceConfig === true && !body.form.isBuffered;
  const watched = isEnforced ? { check: () => checkEnforced(ctx, override) } : {};
  return { ...upstream, body: { ...body, edit: { ...body.edit, fields, ...watched } } };
}

function textOf(value: unknown): string | undefined {
  if (isExactNumber(value)) return JSON.stringify(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function warn({ warnings }: Routed, text: string): void {
  if (!warnings.includes(text)) warnings.push(text);
}
