import { credentialHeaders, hopByHopHeaders, isRequestOverride, placeholderCredentials } from '../../core/http/headers.ts';
import { withheldHeaders } from '../../core/model/request-settings.ts';
import type { Explanation } from '../../core/logs/explanation.ts';
import type { Attempt } from '../../core/plan.ts';
import type { RequestContext } from '../../pipeline/request.ts';
import { headerNames } from '../dry-run/references.ts';
import type { DryAttempt } from '../dry-run/dry-sender.ts';

/** Headers that the gateway writes for every upstream request. */
const gatewayHeaders: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'accept',
  'accept-encoding',
  'user-agent',
  'connection',
  'expect',
]);

/** Request headers of the caller that are not sent upstream, each with the reason. Values are not included. None if no request is sent. */
export function removedHeaders(
  ctx: RequestContext,
  sent: DryAttempt | undefined,
  addedHeaders: ReadonlySet<string>,
): Explanation['removed_headers'] {
  if (sent === undefined || sent.attempt.translation?.local !== undefined) return [];
  const upstream = new Set(headerNames(sent.attempt.upstream?.headers ?? []));
  const removed = new Map<string, string>();
  for (const [name] of ctx.headers.entries()) {
    if (addedHeaders.has(name) || upstream.has(name)) continue;
    removed.set(name, whyRemoved(name, ctx, sent.attempt));
  }
  return [...removed].map(([name, why]) => ({ name, why }));
}

function whyRemoved(name: string, { headers, facts }: RequestContext, { binding, call, credential }: Attempt): string {
  if (headers.isGateway(name)) return 'it is a header for the gateway';
  if (facts.caller.consumed.includes(name)) return 'it contains the gateway API key';
  if (credentialHeaders.has(name)) {
    const bare = (headers.get(name) ?? '').replace(/^bearer\s+/i, '');
    if (placeholderCredentials.has(bare)) return 'it is a placeholder, not a credential';
    return credential?.owner === 'caller'
      ? 'it is sent in the header that the provider expects'
      : `the credential of "${binding.slug}" is used`;
  }
  if (call !== undefined && withheldHeaders(binding.provider, call.credential).includes(name))
    return `it is not sent with the credential of "${binding.slug}"`;
  if (hopByHopHeaders.has(name)) return 'it concerns only the connection to the client';
  if (isRequestOverride(name)) return 'it could change how intermediate proxies route the request';
  if (gatewayHeaders.has(name)) return 'the gateway sets this header itself';
  return 'forward_headers does not name it';
}
