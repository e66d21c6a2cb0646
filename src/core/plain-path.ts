/**
 * A segment of a path as lenient servers compare it: decoded, without regard to case. One that is no percent-encoded
 * text is compared as it is.
 */
export function plainWord(segment: string): string {
  try {
    return decodeURIComponent(segment).toLowerCase();
  } catch {
    return segment.toLowerCase();
  }
}

/**
 * A path as lenient servers read it, who take `/v1//%63hat/` for `/v1/chat`: for rules that must hold whatever the
 * spelling. Never for a path that is sent.
 */
export function plainPath(path: string): string {
  const words = path.split('/').flatMap((segment) => (segment === '' ? [] : plainWord(segment)));
  return `/${words.join('/')}`;
}
