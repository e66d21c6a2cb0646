import type { BodyPatch, JsonBody } from '#core/json/body.ts';
import { bareModel } from '#core/model/model-name.ts';
import { isPlain, merge, type Plain } from '#core/json/merge.ts';

/** `override_params` after compilation. */
export interface Override {
  /** Replaces the asked model, slug taken off. */
  readonly model: string | undefined;
  /** Whether the client gets a stream is the client's own choice: what the config says about it is only reported. */
  readonly stream: unknown;
  readonly members: readonly { readonly key: string; readonly value: unknown }[];
}

export function compileOverride(override: Plain): Override {
  const { model, stream, ...rest } = override;
  return {
    model: typeof model === 'string' ? bareModel(model) : undefined,
    stream,
    members: Object.entries(rest).map(([key, value]) => ({ key, value })),
  };
}

/**
 * What the override writes into this body: only the top-level members that change. Objects are merged with the
 * body's own, everything else is replaced.
 */
export function overridePatch(override: Override, body: JsonBody): BodyPatch | undefined {
  let patch: Map<string, unknown> | undefined;
  for (const { key, value } of override.members) {
    if (isPlain(value)) {
      const present = body.value(key);
      patch ??= new Map();
      patch.set(key, isPlain(present) ? merge(present, value) : value);
    } else if (body.peek(key) !== value) {
      patch ??= new Map();
      patch.set(key, value);
    }
  }
  return patch;
}
