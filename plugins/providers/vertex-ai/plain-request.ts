import { emptyBody } from '#core/json/body.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import type { Dropped, UpstreamAddress, UpstreamRequest } from '#core/provider.ts';

/** A request without a body: everything that only reads or deletes. */
export function plainRequest(
  address: UpstreamAddress,
  method: 'GET' | 'DELETE',
  headers: HeaderPairs,
  dropped: readonly Dropped[] = [],
): UpstreamRequest {
  return { ...address, method, headers, body: emptyBody, dropped };
}
