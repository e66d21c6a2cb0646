import type { Admitted } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import type { Provider } from '#core/provider.ts';
import { settingsFromHeaders } from '#core/model/request-settings.ts';
import type { ProviderBinding } from '#core/snapshot.ts';
import { headerNameAsSent } from '#core/text/header-name-as-sent.ts';

/**
 * Direct mode: a provider type with settings from the request only, including the host. It never has a credential of the
 * catalog.
 *
 * @throws GatewayError `not_allowed`, and errors of the type about the settings
 */
export function directBinding(ctx: Admitted, provider: Provider): ProviderBinding {
  const requestSettings = settingsFromHeaders(ctx.headers, provider)?.settings;
  const host = requestedHost(ctx);
  const settings = host === undefined ? (requestSettings ?? {}) : { ...requestSettings, custom_host: host.href };
  return ctx.snapshot.direct(provider, settings, ctx.facts.caller.credential);
}

/**
 * The host that the request names in a header. It is ASCII: a header has bytes, and read with another encoding they would be
 * another host, which would get the caller's key.
 *
 * @throws GatewayError `invalid_header`
 */
export function requestedHost(ctx: Admitted): URL | undefined {
  const value = ctx.headers.gateway('customHost');
  if (value === undefined || value === '') return undefined;
  const url = /^[ -~]*$/.test(value) && URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '')
    return url;
  throw new GatewayError('invalid_header', {
    message: 'The custom host is not a valid URL.',
    param: headerNameAsSent(ctx.headers, 'customHost'),
    hint: 'Write it in ASCII like https://host.example/v1, without user name and password.',
  });
}
