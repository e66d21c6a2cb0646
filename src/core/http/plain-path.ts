import { GatewayError } from '../error.ts';
import { normalizeWidth } from '../json/model-fields.ts';

/** Maximum number of decoding rounds: no service decodes more often. */
const maxRounds = 8;

/**
 * Returns why a path may not be sent, considering all decoding that services on the way may do; undefined if it always
 * stays below its base. Dot segments can leave the configured base path in any spelling: encoded (`%2e%2e`), twice
 * (`%252e`), with parameters (`..;/`), after backslashes, or with characters that Unicode normalization turns into dots
 * and slashes.
 *
 * @param path encoded, without its query
 */
export function pathFault(path: string): string | undefined {
  // Fast path: ordinary paths contain nothing that needs a closer look.
  if (ordinaryPath.test(path)) return undefined;
  // oxlint-disable-next-line no-control-regex -- all but the printable characters of ASCII
  if (/[^\x21-\x7e]/.test(path)) return 'contains characters that must be encoded';
  let text = path;
  for (let round = 0; ; round += 1) {
    const fault = pathFaultIn(text) ?? pathFaultIn(normalized(text));
    if (fault !== undefined) return fault;
    if (!text.includes('%')) return undefined;
    if (round === maxRounds) return 'is encoded too many times';
    const decoded = decode(text);
    if (decoded === undefined) return 'contains bytes that are not UTF-8';
    if (decoded === text) return undefined;
    text = decoded;
  }
}

/** Returns an upstream path without its query. */
export function pathOf({ path }: { readonly path: string }): string {
  const mark = path.indexOf('?');
  return mark < 0 ? path : path.slice(0, mark);
}

/** @throws GatewayError `route_not_found` for a path that may not be sent */
export function checkPath(path: string): void {
  const fault = pathFault(path);
  if (fault === undefined) return;
  throw new GatewayError('route_not_found', {
    message: `The path ${fault}.`,
    hint: 'Send an unambiguous path: no dot segments, backslashes or control characters.',
  });
}

/** No dot at the start of a segment, nothing encoded, no backslash, no semicolon. */
const ordinaryPath = /^(?:\/(?!\.)[\w~!$&'()*+,=:@.-]*)+$/;

/** Normalizes dots and slashes of other scripts, as some systems do. */
const normalized = (text: string): string =>
  normalizeWidth(text)
    .replaceAll(/[\u2044\u2215\u29f8]/g, '/')
    .replaceAll(/[\u2216\u29f5\u29f9]/g, '\\');

function pathFaultIn(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\x00-\x1f\x7f]/.test(text)) return 'contains control characters';
  if (text.includes('\\')) return 'contains backslashes';
  for (const segment of text.split('/')) if (/^\s*\.\s*(?:\.\s*)?(?:;.*)?$/su.test(segment)) return 'contains dot segments';
  return undefined;
}

/**
 * Decodes one round, and leaves percent signs that encode nothing. Returns undefined for bytes that are not valid
 * UTF-8, such as overlong ones.
 */
function decode(text: string): string | undefined {
  try {
    return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => decodeURIComponent(run));
  } catch {
    return undefined;
  }
}

/** Returns a path segment as lenient servers compare it: decoded and in lower case. A segment with invalid encoding is only lower-cased. */
export function plainSegment(segment: string): string {
  let text = segment;
  for (let round = 0; round < maxRounds && text.includes('%'); round += 1) {
    const decoded = decode(text);
    if (decoded === undefined || decoded === text) break;
    text = decoded;
  }
  return text.toLowerCase();
}

/** Returns the decoded segments of a path; encoded slashes also separate segments. Case is preserved. */
export function decodedSegments(path: string): readonly string[] {
  let text = path;
  for (let round = 0; round < maxRounds && text.includes('%'); round += 1) text = decode(text) ?? text;
  return text.split('/').filter((segment) => segment !== '');
}

/**
 * Returns a path as lenient servers read it, which treat `/v1//%63hat/` like `/v1/chat`: for rules that must apply to
 * any spelling. Never used for a path that is sent.
 */
export function plainPath(path: string): string {
  const segments = path.split('/').flatMap((segment) => (segment === '' ? [] : plainSegment(segment)));
  return `/${segments.join('/')}`;
}
