import type { Admitted, Choice } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import { bareModel, slugOf } from '#core/model/model-name.ts';
import { didYouMean } from '#core/text/nearest.ts';
import type { ProviderBinding } from '#core/snapshot.ts';
import { sendsSecret, secretTails, settingsIn } from '#core/model/request-settings.ts';
import { canonicalPrefix } from '#core/http/headers.ts';
import { spelled } from '#core/text/header-spelling.ts';
import { usableProviders } from '#core/model/usable-names.ts';
import { directBinding } from './direct.ts';

const at = 0x40;

/**
 * The provider that the request selects, in order of precedence: slug in the model, provider header, virtual key. Used if a
 * target of the config has no provider.
 *
 * @throws GatewayError `provider_not_found`, `missing_credential`, `not_allowed`
 */
export function choiceOf(ctx: Admitted): Choice | undefined {
  const slug = slugOf(ctx.requestedModel);
  if (slug !== undefined) return { binding: bySlug(ctx, slug, 'model'), model: bareModel(ctx.requestedModel) || undefined, by: 'model' };
  const header = ctx.headers.gateway('provider');
  if (header !== undefined && header !== '')
    return { binding: byHeader(ctx, header), model: ctx.requestedModel || undefined, by: 'header' };
  const binding = ctx.facts.virtualKey;
  return binding === undefined ? undefined : { binding, model: ctx.requestedModel || undefined, by: 'virtual-key' };
}

/** `@x` is a slug. A bare `x` is a type if the caller has a credential for it, or else a slug. */
function byHeader(ctx: Admitted, value: string): ProviderBinding {
  if (value.charCodeAt(0) === at) return bySlug(ctx, slugOf(`${value}/`) ?? value, spelled(ctx.headers, 'provider'));
  const type = ctx.snapshot.types.get(value);
  if (type !== undefined && (ctx.facts.caller.credential !== undefined || sendsSecret(ctx.headers, type))) return directBinding(ctx, type);
  const binding = ctx.snapshot.providers.get(value);
  if (binding !== undefined) return binding;
  if (type === undefined) throw notFound(ctx, value, spelled(ctx.headers, 'provider'), ctx.snapshot.types.keys());
  if (type.entry.apiKey !== 'required') return directBinding(ctx, type);
  // A request for the machine's identity gets an error that says so.
  settingsIn(ctx.headers, type);
  const secrets = secretTails(type).map((tail) => canonicalPrefix + tail);
  throw new GatewayError('missing_credential', {
    message: `"${value}" is a provider type, and the request has no credential for it.`,
    param: 'authorization',
    hint: `Send the provider's key as "authorization: Bearer …"${secrets.map((name) => `, ${name}`).join('')}, or name a configured provider as "@slug".`,
  });
}

function bySlug(ctx: Admitted, slug: string, param: string): ProviderBinding {
  const binding = ctx.snapshot.providers.get(slug);
  if (binding === undefined) throw notFound(ctx, slug, param);
  return binding;
}

/** @param types other possible types */
function notFound(ctx: Admitted, name: string, param: string, types: Iterable<string> = []): GatewayError {
  return new GatewayError('provider_not_found', {
    message: `No provider has the slug "${name}".${didYouMean(name, [...usableProviders(ctx.snapshot, ctx.facts.caller.key), ...types])}`,
    param,
    hint: slugList(ctx),
  });
}

/** The slugs that a client may use, at most ten. */
export function slugList(ctx: Admitted): string {
  const slugs = [...usableProviders(ctx.snapshot, ctx.facts.caller.key)];
  if (slugs.length === 0) return 'No provider is available to this request.';
  return `Slugs: ${slugs.slice(0, 10).join(', ')}${slugs.length > 10 ? ', …' : ''}.`;
}
