import type { LookupAddress } from 'node:dns';
import { isIPv4 } from 'node:net';

/** All addresses in the result of a lookup, which may be a single one. */
export const addressesIn = (found: string | readonly LookupAddress[]): readonly LookupAddress[] =>
  typeof found === 'string' ? [{ address: found, family: isIPv4(found) ? 4 : 6 }] : found;

/** The same error as that of the system's resolver. */
export function lookupFailure(code: 'ENOTFOUND' | 'EAI_AGAIN', hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), { code, syscall: 'getaddrinfo', hostname });
}
