/**
 * Compares the shape of two JSON values: members that only one has, and types. Empty lists and null match everything; all elements
 * of a list are compared as one.
 *
 * @param maps members whose own member names are data
 * @returns one line per difference: the path and the difference
 */
export function differences(first: unknown, second: unknown, maps: ReadonlySet<string>): readonly string[] {
  return compare([first], [second], { path: '$', maps });
}

interface At {
  readonly path: string;
  readonly maps: ReadonlySet<string>;
}

type Fields = Readonly<Record<string, unknown>>;

function compare(first: readonly unknown[], second: readonly unknown[], at: At): readonly string[] {
  const [a, b] = [known(first), known(second)];
  if (a.length === 0 || b.length === 0) return [];
  const [left, right] = [typesOf(a), typesOf(b)];
  if (left.isDisjointFrom(right)) return [`${at.path}: ${[...left].join('|')} and ${[...right].join('|')}`];
  const inner = compare(a.filter(Array.isArray).flat(), b.filter(Array.isArray).flat(), { ...at, path: `${at.path}[]` });
  return [...inner, ...members(a.filter(isFields), b.filter(isFields), at)];
}

function members(a: readonly Fields[], b: readonly Fields[], at: At): readonly string[] {
  if (a.length === 0 || b.length === 0) return [];
  const namesOf = (list: readonly Fields[]): readonly string[] => [...new Set(list.flatMap((one) => Object.keys(one)))];
  if (at.maps.has(/[^.[\]]+$/.exec(at.path)?.[0] ?? ''))
    return compare(
      a.flatMap((one) => Object.values(one)),
      b.flatMap((one) => Object.values(one)),
      { ...at, path: `${at.path}.*` },
    );
  const [left, right] = [namesOf(a), namesOf(b)];
  return [
    ...left.filter((name) => !right.includes(name)).map((name) => `${at.path}.${name}: only in the first`),
    ...right.filter((name) => !left.includes(name)).map((name) => `${at.path}.${name}: only in the second`),
    ...left.flatMap((name) =>
      compare(
        a.map((one) => one[name]),
        b.map((one) => one[name]),
        { ...at, path: `${at.path}.${name}` },
      ),
    ),
  ];
}

const known = (list: readonly unknown[]): readonly unknown[] => list.filter((one) => one !== null && one !== undefined);
const typesOf = (list: readonly unknown[]): ReadonlySet<string> => new Set(list.map((one) => (Array.isArray(one) ? 'list' : typeof one)));
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
