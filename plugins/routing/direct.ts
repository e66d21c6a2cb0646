import type { Admitted } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import type { Provider } from '#core/provider.ts';
import { settingsIn } from '#core/request-settings.ts';
import type { ProviderBinding } from '#core/snapshot.ts';
import { spelled } from '#core/spelling.ts';

/** Header tails that ask for an identity of the machine the gateway runs on, and the values that do (decisions D2). */
const ambient: Readonly<Record<string, readonly string[]>> = {
  'azure-auth-mode': ['managed', 'managed_identity', 'workload', 'workload_identity'],
  'aws-auth-type': ['assumedRole'],
};

/**
 * Direct mode: a provider type with everything that the request brings, host included. It never holds a credential
 * of the catalog.
 *
 * @throws GatewayError `not_allowed`, and what the type finds wrong with the settings
 */
export function directBinding(ctx: Admitted, provider: Provider): ProviderBinding {
  refuseAmbient(ctx);
  const brought = settingsIn(ctx.headers, provider)?.settings;
  const host = ctx.headers.gateway('customHost');
  const settings = host === undefined || host === '' ? (brought ?? {}) : { ...brought, custom_host: customHost(ctx, host).href };
  return ctx.snapshot.direct(provider, settings, ctx.facts.caller.credential);
}

/** Parses a host that came with a request. @throws GatewayError `invalid_header` */
export function customHost(ctx: Admitted, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '')
    return url;
  throw new GatewayError('invalid_header', {
    message: 'The custom host is not a URL that can be used.',
    param: spelled(ctx.headers, 'customHost'),
    hint: 'Write it like https://host.example/v1, without user name and password.',
  });
}

function refuseAmbient(ctx: Admitted): void {
  for (const tail in ambient) {
    const value = ctx.headers.tail(tail);
    if (value === undefined || ambient[tail]?.includes(value) !== true) continue;
    throw new GatewayError('not_allowed', {
      message: `"${tail}: ${value}" asks for the gateway's own identity, which only gateway.yaml may use.`,
      param: tail,
      hint: 'Send a credential of your own, or name an entry of the catalog.',
    });
  }
}
