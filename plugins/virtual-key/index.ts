import { slugOf } from '#core/model/model-name.ts';
import type { Facts, Received } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import { didYouMean } from '#core/text/nearest.ts';
import { definePlugin } from '#core/plugin.ts';
import { headerNameAsSent } from '#core/text/header-name-as-sent.ts';
import { usableProviders } from '#core/model/usable-names.ts';

/**
 * Looks up `x-gateway-virtual-key`: a virtual key, or a slug of the catalog; both share one namespace.
 * The routing plugin decides whether the caller may use it, and whether it applies.
 */
export default definePlugin({
  name: 'virtual-key',
  moments: ['admit'],
  provides: ['virtual-keys'],
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: () => ({ admit }),
});

function admit(ctx: Received): Partial<Facts> | undefined {
  const value = ctx.headers.gateway('virtualKey');
  if (value === undefined || value === '') return undefined;
  // Some clients write the slug as in a model: `@name`, or `@name/model`.
  const name = slugOf(value) ?? value;
  const virtualKey = ctx.snapshot.providers.get(name);
  if (virtualKey === undefined) throw unknownVirtualKey(ctx, name);
  return { virtualKey };
}

function unknownVirtualKey(ctx: Received, name: string): GatewayError {
  return new GatewayError('provider_not_found', {
    message: `No virtual key or provider is named "${name}".${didYouMean(name, usableProviders(ctx.snapshot, ctx.facts.caller?.key))}`,
    param: headerNameAsSent(ctx.headers, 'virtualKey'),
    hint: 'Virtual keys are defined under "virtual_keys" in gateway.yaml, providers under "providers".',
  });
}
