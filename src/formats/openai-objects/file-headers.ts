import type { HeaderPairs } from '../../core/http/headers.ts';
import type { Call } from '../../core/provider.ts';

/** A part of a file, or the file only if it has changed (RFC 9110 13, 14). */
const names = ['range', 'if-range', 'if-none-match', 'if-match', 'if-modified-since', 'if-unmodified-since'] as const;

/**
 * The caller's headers about which bytes of a file it wants: for answers whose bytes pass unchanged. Where lines are
 * written anew they must not travel, since a part of the provider's file is no part of ours.
 */
export function fileHeaders(call: Pick<Call, 'header'>): HeaderPairs {
  const pairs: HeaderPairs = [];
  for (const name of names) {
    const value = call.header(name);
    if (value !== undefined && value !== '') pairs.push(name, value);
  }
  return pairs;
}
