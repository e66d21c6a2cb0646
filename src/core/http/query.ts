/**
 * Compares the name of a query parameter as it is written (`api%2Dkey=x`) with `name`: percent-encoded or not, in upper
 * or lower case. Reads no further than the length of the name.
 *
 * @param name lower-case ASCII
 * @param from start of the parameter in `text`
 */
export function isNamed(text: string, name: string, from = 0): boolean {
  let at = from;
  for (let i = 0; i < name.length; i += 1) {
    let code = text.charCodeAt(at);
    at += 1;
    if (code === 0x25) {
      code = hexOf(text.charCodeAt(at)) * 16 + hexOf(text.charCodeAt(at + 1));
      at += 2;
    }
    const lower = code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
    if (lower !== name.charCodeAt(i)) return false;
  }
  const end = text.charCodeAt(at);
  return Number.isNaN(end) || end === 0x3d || isSeparator(end);
}

/**
 * Removes the parameters with these names in any spelling. A question mark before a name is ignored, because parsers
 * skip one at the beginning. Some services also accept `;` as a separator.
 *
 * @param names lower-case ASCII
 */
export function withoutParameters(query: string, names: readonly string[]): string {
  let result = '';
  let from = 0;
  for (let at = 0; at <= query.length; ) {
    let end = at;
    while (end < query.length && !isSeparator(query.charCodeAt(end))) end += 1;
    const start = query.charCodeAt(at) === 0x3f ? at + 1 : at;
    if (names.some((name) => isNamed(query, name, start))) {
      // Removed with the separator before it: the one after it belongs to the next parameter.
      result += query.slice(from, Math.max(from, at - 1));
      from = result === '' ? end + 1 : end;
    }
    at = end + 1;
  }
  return result + query.slice(from);
}

/** Sets one parameter of the query (`name` is in lower case), in place if it exists. `undefined` removes it. */
export function withParam(query: string, name: string, value: string | undefined): string {
  const pair = value === undefined ? undefined : `${name}=${encodeURIComponent(value.toWellFormed())}`;
  let isWritten = false;
  const parts: string[] = [];
  for (const part of query === '' ? [] : query.split('&')) {
    const isMatch = isNamed(part, name);
    if (!isMatch) parts.push(part);
    else if (!isWritten && pair !== undefined) parts.push(pair);
    isWritten ||= isMatch;
  }
  if (!isWritten && pair !== undefined) parts.push(pair);
  return parts.join('&');
}

/** `&` and `;`. */
const isSeparator = (code: number): boolean => code === 0x26 || code === 0x3b;

/**
 * Converts the query of a path in the deployments layout: drops the version of that API, and renames `deployment`, the
 * parameter that names the model of a WebSocket, to `model`.
 */
export function plainQuery(query: string): string {
  const bare = withoutParameters(query, ['api-version']);
  if (!/deployment|%/i.test(bare)) return bare;
  return bare
    .split('&')
    .map((pair) => (isNamed(pair, 'deployment') && pair.includes('=') ? `model${pair.slice(pair.indexOf('='))}` : pair))
    .join('&');
}

/** Value of a hex digit; NaN for any other character. */
function hexOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : Number.NaN;
}

/** Percent-decodes a text; returns it unchanged if that fails. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
