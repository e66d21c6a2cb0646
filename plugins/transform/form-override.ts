import type { Routed } from '#core/context.ts';
import { traitsOf } from '#core/endpoint.ts';
import type { UpstreamRequest } from '#core/provider.ts';
import { checkEnforced } from './enforced.ts';
import type { Override } from './override.ts';

/**
 * A form with the target's overrides as text fields. Uploads are stored, not run: they keep what they have. What no text
 * field can hold is left out with a warning.
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
  const isEnforced = ctx.facts.caller.key?.enforceConfig === true && !body.form.isHeld;
  const watched = isEnforced ? { check: () => checkEnforced(ctx, override) } : {};
  return { ...upstream, body: { ...body, edit: { ...body.edit, fields, ...watched } } };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;

function warn({ warnings }: Routed, text: string): void {
  if (!warnings.includes(text)) warnings.push(text);
}
