import type { Routed } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import type { Deployment, UpstreamRequest } from '#core/provider.ts';
import type { CredentialRef, ProviderBinding } from '#core/snapshot.ts';

/**
 * The credential of a binding that belongs to the caller: its own where it brought one along (direct mode, a config
 * sent as JSON), else what the request's headers hold (`auth: {mode: caller}`). A binding that brought none signs
 * with nothing, which only its headers for this request tell.
 *
 * @throws GatewayError `missing_credential`
 */
export function callersCredential(
  ctx: Routed,
  binding: ProviderBinding,
  { credential: own, deployment }: { readonly credential: CredentialRef; readonly deployment: Deployment | undefined },
  upstream: UpstreamRequest,
): CredentialRef {
  const signed = own.headers(upstream);
  if (signed instanceof Promise) {
    // A token is being fetched: whoever sends the request asks again, and sees the failure.
    signed.catch(() => undefined);
    return own;
  }
  if (signed.length > 0) return own;
  const key = ctx.facts.caller.credential;
  if (key !== undefined && binding.forCaller !== undefined) return binding.forCaller(key).credential(deployment);
  if (binding.provider.apiKey !== 'required') return own;
  throw new GatewayError('missing_credential', {
    message: `Provider "${binding.slug}" needs the caller's own credential, and the request has none.`,
    param: 'authorization',
    hint: 'Send the provider\'s key as "authorization: Bearer …", and the gateway key in x-gateway-api-key.',
  });
}
