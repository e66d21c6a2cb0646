import type { Routed } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Attempt } from '#core/plan.ts';
import type { CredentialOwner } from '#core/provider.ts';
import { withheldFrom } from '#core/model/request-settings.ts';

/** How a request is signed, and what it has copied. */
interface Signed {
  readonly credential: CredentialOwner;
  readonly copies: HeaderPairs | undefined;
  /** The list of what is copied came with the request, and is not the operator's. */
  readonly isCallers: boolean;
}

/**
 * A caller's own organization or deployment does not go along with the operator's credential: client libraries send theirs
 * unasked, so it is left out with a warning; one that the caller asks to have forwarded is refused.
 *
 * @throws GatewayError `not_allowed`
 */
export function withoutAccountHeaders(ctx: Routed, { binding }: Attempt, { credential, copies, isCallers }: Signed): void {
  for (const name of withheldFrom(binding.provider, credential)) {
    if (isCallers && copies?.includes(name) === true) {
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
