import type { HeaderPairs } from '../../../core/http/headers.ts';
import type { Call } from '../../../core/provider.ts';

/** Returns the caller's headers with the given names, which the service supports. */
export function callerHeaders(call: Pick<Call, 'header'>, names: readonly string[]): HeaderPairs {
  const pairs: HeaderPairs = [];
  for (const name of names) {
    const value = call.header(name);
    if (value !== undefined && value !== '') pairs.push(name, value);
  }
  return pairs;
}
