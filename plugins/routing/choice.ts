import type { Admitted, Choice } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import { bareModel, slugOf } from '#core/model/model-name.ts';
import { didYouMean } from '#core/text/nearest.ts';
import type { ProviderBinding } from '#core/snapshot.ts';
import { sendsSecret, secretHeaders, settingsFromHeaders } from '#core/model/request-settings.ts';
import { canonicalPrefix } from '#core/http/headers.ts';
import { headerNameAsSent } from '#core/text/header-name-as-sent.ts';
import { usableProviders } from '#core/model/usable-names.ts';
import { shortList } from '#core/text/wording.ts';
import { directBinding } from './direct.ts';

const atSign = 0x40;

/**
 * The provider that the request selects, in order of precedence: slug in the model, provider header, virtual key. Used if a
 * target of the config has no provider.
 *
 * @throws GatewayError `provider_not_found`, `missing_credential`, `not_allowed`
 */
export function choiceOf(ctx: Admitted): Choice | undefined {
  const slug = slugOf(ctx.requestedModel);
  if (slug !== undefined)
    return { binding: bindingOfSlug(ctx, slug, 'model'), model: bareModel(ctx.requestedModel) || undefined, by: 'model' };
  const header = ctx.headers.gateway('provider');
  if (header !== undefined && header !== '')
    return { binding: bindingFromHeader(ctx, header), model: ctx.requestedModel || undefined, by: 'header' };
  const binding = ctx.facts.virtualKey;
  return binding === undefined ? undefined : { binding, model: ctx.requestedModel || undefined, by: 'virtual-key' };
}

/** `@x` is a slug. A bare `x` is a type if the caller has a credential for it, or else a slug. */
function bindingFromHeader(ctx: Admitted, value: string): ProviderBinding {
  if (value.charCodeAt(0) === atSign) return bindingOfSlug(ctx, slugOf(`${value}/`) ?? value, headerNameAsSent(ctx.headers, 'provider'));
  const type = ctx.snapshot.types.get(value);
  if (type !== undefined && (ctx.facts.caller.credential !== undefined || sendsSecret(ctx.headers, type))) return directBinding(ctx, type);
  const binding = ctx.snapshot.providers.get(value);
  if (binding !== undefined) return binding;
  if (type === undefined) throw providerNotFound(ctx, value, headerNameAsSent(ctx.headers, 'provider'), ctx.snapshot.types.keys());
  if (type.entry.apiKey !== 'required') return directBinding(ctx, type);
  // A request for the machine's identity gets an error that says so.
  settingsFromHeaders(ctx.headers, type);
  const secrets = secretHeaders(type).map((tail) => canonicalPrefix + tail);
  throw new GatewayError('missing_credential', {
    message: `"${value}" is a provider type, and the request has no credential for it.`,
    param: 'authorization',
    hint: `Send the provider's key as "authorization: Bearer …"${secrets.map((name) => `, ${name}`).join('')}, or name a configured provider as "@slug".`,
  });
}

function bindingOfSlug(ctx: Admitted, slug: string, param: string): ProviderBinding {
  const binding = ctx.snapshot.providers.get(slug);
  if (binding === undefined) throw providerNotFound(ctx, slug, param);
  return binding;
}

/** @param types other possible types */
function providerNotFound(ctx: Admitted, name: string, param: string, types: Iterable<string> = []): GatewayError {
  return new GatewayError('provider_not_found', {
    message: `No provider has the slug "${name}".${didYouMean(name, [...usableProviders(ctx.snapshot, ctx.facts.caller.key), ...types])}`,
    param,
    hint: slugHint(ctx),
  });
}

/** The slugs that a client may use, at most ten. */
export function slugHint(ctx: Admitted): string {
  const slugs = [...usableProviders(ctx.snapshot, ctx.facts.caller.key)];
  if (slugs.length === 0) return 'No provider is available to this request.';
  return `Slugs: ${shortList(slugs, 10)}.`;
}
