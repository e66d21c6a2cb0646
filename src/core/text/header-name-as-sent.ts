import { canonicalPrefix, type HeaderBag, type RequestHeader, requestHeaders } from '../http/headers.ts';

/** Returns a gateway header's name in the spelling that the request used, for messages: `x-portkey-config` if it sent that. */
export function headerNameAsSent(headers: HeaderBag, header: RequestHeader): string {
  const tails = requestHeaders[header];
  for (const prefix of [canonicalPrefix, headers.aliasPrefix ?? canonicalPrefix]) {
    for (const tail of tails) if (headers.get(`${prefix}${tail}`) !== undefined) return `${prefix}${tail}`;
  }
  return `${canonicalPrefix}${tails[0]}`;
}

/** The same for a provider's header: `x-portkey-azure-resource-name`. */
export function tailNameAsSent(headers: HeaderBag, tail: string): string {
  const { aliasPrefix } = headers;
  const isAlias = aliasPrefix !== undefined && headers.get(canonicalPrefix + tail) === undefined;
  return (isAlias ? aliasPrefix : canonicalPrefix) + tail;
}
