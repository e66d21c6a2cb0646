import { type HeaderBag, placeholderCredentials } from '#core/http/headers.ts';

/** Headers, besides the gateway's own, that may contain a gateway key, in order of precedence. */
export const keyHeaders = ['authorization', 'x-api-key', 'api-key'] as const;

/** The same, and a provider's own header: a gateway key in it is not accepted, but is still removed. */
export const candidateHeaders = [...keyHeaders, 'x-goog-api-key'] as const;

/**
 * Returns the credential in a header value without `Bearer `. Placeholders and empty values count as absent. Called for
 * every request, so it uses no pattern, and copies only if there is a prefix.
 */
export function credentialIn(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const bare = hasBearer(value) ? value.slice(7).trim() : value;
  return bare === '' || placeholderCredentials.has(bare) ? undefined : bare;
}

/** All possible lists of headers that contained a gateway key, by bit mask over `candidateHeaders`. Created once and shared. */
export const consumedHeaderLists: readonly (readonly string[])[] = Object.freeze(
  Array.from({ length: 1 << candidateHeaders.length }, (_, mask) =>
    Object.freeze(candidateHeaders.filter((_name, bit) => (mask & (1 << bit)) !== 0)),
  ),
);

/** Name of the first header with a credential, for messages. */
export function firstCredentialHeader(headers: HeaderBag): string | undefined {
  return keyHeaders.find((name) => credentialIn(headers.get(name)) !== undefined);
}

/** Matches `Bearer` in any case and a blank, and `Bearer` alone, which libraries without a key send. */
function hasBearer(value: string): boolean {
  const first = value.charCodeAt(0) | 0x20;
  if (first !== 0x62 || value.length < 6) return false;
  if (value.length > 6 && value.charCodeAt(6) !== 0x20) return false;
  return value.startsWith('Bearer') || value.slice(0, 6).toLowerCase() === 'bearer';
}
