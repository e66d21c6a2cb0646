import type { Routed } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import type { Deployment, UpstreamRequest, CredentialOwner } from '#core/provider.ts';
import type { CredentialRef, ProviderBinding } from '#core/snapshot.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Attempt } from '#core/plan.ts';
import { withheldHeaders } from '#core/model/request-settings.ts';

/**
 * The credential of a binding that belongs to the caller: the binding's own, if any (direct mode, a config sent as JSON), or
 * else the one in the request's headers (`auth: {mode: caller}`). A binding without a credential signs with nothing, which
 * is only known from its headers for this request.
 *
 * @throws GatewayError `missing_credential`
 */
export function callerCredential(
  ctx: Routed,
  binding: ProviderBinding,
  { credential: configured, deployment }: { readonly credential: CredentialRef; readonly deployment: Deployment | undefined },
  upstream: UpstreamRequest,
): CredentialRef {
  const signed = configured.headers(upstream);
  if (signed instanceof Promise) {
    // A token is being fetched. The sender gets the credential again, and its error if the fetch fails.
    signed.catch(() => undefined);
    return configured;
  }
  if (signed.length > 0) return configured;
  const key = ctx.facts.caller.credential;
  if (key !== undefined && binding.forCaller !== undefined) return binding.forCaller(key).credential(deployment);
  if (binding.provider.entry.apiKey !== 'required') return configured;
  throw new GatewayError('missing_credential', {
    message: `Provider "${binding.slug}" needs the caller's own credential, and the request has none.`,
    param: 'authorization',
    hint: 'Send the provider\'s key as "authorization: Bearer …", and the gateway key in x-gateway-api-key.',
  });
}

/** How a request is signed, and which headers it copies. */
interface SigningChoice {
  readonly credential: CredentialOwner;
  readonly copies: HeaderPairs | undefined;
  /** True if the list of copied headers came with the request, and not from the operator. */
  readonly isCallerList: boolean;
}

/**
 * Warns about account headers that are not forwarded, and rejects a request that asks to forward one. A caller's organization or
 * deployment header must not be combined with the operator's credential, but client libraries send it by default.
 *
 * @throws GatewayError `not_allowed`
 */
export function checkAccountHeaders(ctx: Routed, { binding }: Attempt, { credential, copies, isCallerList }: SigningChoice): void {
  for (const name of withheldHeaders(binding.provider, credential)) {
    if (isCallerList && copies?.includes(name) === true) {
      throw new GatewayError('not_allowed', {
        message: `The header "${name}" is not forwarded with the credential of provider "${binding.slug}", which belongs to the gateway.`,
        param: name,
        hint: `Remove it, or set it in gateway.yaml at providers.${binding.slug}.`,
      });
    }
    if (ctx.headers.get(name) === undefined || copies?.includes(name) === true) continue;
    const warning = `header "${name}" was not sent: the gateway does not forward it with the credential of provider "${binding.slug}"`;
    if (!ctx.warnings.includes(warning)) ctx.warnings.push(warning);
  }
}
