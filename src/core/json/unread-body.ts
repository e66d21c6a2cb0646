import type { Admitted } from '../context.ts';
import { traitsOf } from '../endpoint.ts';

/**
 * True for a relayed request whose body, or what its method does at such a path, the gateway does not know: it may name any
 * model, and no parameter can be written into it.
 */
export function hasUnreadBody({ endpoint, method, headers }: Admitted): boolean {
  if (endpoint === 'realtime' || traitsOf(endpoint).body !== 'passing') return false;
  const hasBody = headers.get('transfer-encoding') !== undefined || Number(headers.get('content-length') ?? 0) !== 0;
  return hasBody || method === 'POST' || method === 'PUT' || method === 'PATCH';
}
