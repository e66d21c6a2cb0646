import type { Admitted } from '../context.ts';
import { traitsOf } from '../endpoint.ts';

/**
 * True for a relayed request that has a body, or a method that usually has one. The gateway does not interpret it: it may
 * name any model, and no parameter can be written into it.
 */
export function hasUnreadBody({ endpoint, method, headers }: Admitted): boolean {
  if (endpoint === 'realtime' || traitsOf(endpoint).body !== 'passing') return false;
  const hasBody = headers.get('transfer-encoding') !== undefined || Number(headers.get('content-length') ?? 0) !== 0;
  return hasBody || method === 'POST' || method === 'PUT' || method === 'PATCH';
}
