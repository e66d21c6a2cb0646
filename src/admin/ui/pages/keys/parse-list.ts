/** Parses `a, b` as a list; undefined if it is empty, which means no limit. Names may contain spaces. */
export function parseList(text: string): readonly string[] | undefined {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length === 0 ? undefined : names;
}
