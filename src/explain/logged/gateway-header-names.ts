import { canonicalPrefix, defaultPrefixes, type RequestHeader, requestHeaders } from '../../core/http/headers.ts';

/** Recognizes gateway headers of recorded requests by the configured prefixes. */
export class GatewayHeaderNames {
  readonly #prefixes: readonly string[];

  /** @param prefixes `server.header_prefixes`; undefined: the default. `x-gateway-` is always included */
  constructor(prefixes: readonly string[] | undefined) {
    this.#prefixes = [canonicalPrefix, ...(prefixes ?? defaultPrefixes)];
  }

  /** True if a name, in lower case, is one of these gateway headers. */
  isOneOf(headers: readonly RequestHeader[], name: string): boolean {
    return headers.some((header) => requestHeaders[header].some((tail) => this.#prefixes.some((prefix) => name === prefix + tail)));
  }
}
