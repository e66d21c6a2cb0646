import { type HeaderBag, placeholderCredentials } from '#core/http/headers.ts';

/** Headers beside the gateway's own in which a gateway key may be, in order of rank. */
export const keyHeaders = ['authorization', 'x-api-key', 'api-key'] as const;

/** Those, and a provider's own header: a key of ours counts for nothing there, and is taken off all the same. */
export const credentialPlaces = [...keyHeaders, 'x-goog-api-key'] as const;

/**
 * The credential in a header's value: `Bearer ` taken off, placeholders and empty values count as absent. Runs for
 * every request, so no pattern and no copy where nothing is cut off.
 */
export function credentialIn(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const bare = hasBearer(value) ? value.slice(7).trim() : value;
  return bare === '' || placeholderCredentials.has(bare) ? undefined : bare;
}

/** Every list of headers that may have held our key, by bit mask over `credentialPlaces`: made once, handed out often. */
export const consumedLists: readonly (readonly string[])[] = Object.freeze(
  Array.from({ length: 1 << credentialPlaces.length }, (_, mask) =>
    Object.freeze(credentialPlaces.filter((_name, bit) => (mask & (1 << bit)) !== 0)),
  ),
);

/** Name of the first header that holds a credential, for messages. */
export function firstFilled(headers: HeaderBag): string | undefined {
  return keyHeaders.find((name) => credentialIn(headers.get(name)) !== undefined);
}

/** `Bearer` in any case and a blank; also `Bearer` alone, which is what a library without a key sends. */
function hasBearer(value: string): boolean {
  const first = value.charCodeAt(0) | 0x20;
  if (first !== 0x62 || value.length < 6) return false;
  if (value.length > 6 && value.charCodeAt(6) !== 0x20) return false;
  return value.startsWith('Bearer') || value.slice(0, 6).toLowerCase() === 'bearer';
}
