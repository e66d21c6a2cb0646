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

interface Position {
  readonly path: string;
  readonly maps: ReadonlySet<string>;
}

type Fields = Readonly<Record<string, unknown>>;

function compare(first: readonly unknown[], second: readonly unknown[], position: Position): readonly string[] {
  const [a, b] = [present(first), present(second)];
  if (a.length === 0 || b.length === 0) return [];
  const [firstTypes, secondTypes] = [typesOf(a), typesOf(b)];
  if (firstTypes.isDisjointFrom(secondTypes)) return [`${position.path}: ${[...firstTypes].join('|')} and ${[...secondTypes].join('|')}`];
  const nested = compare(a.filter(Array.isArray).flat(), b.filter(Array.isArray).flat(), { ...position, path: `${position.path}[]` });
  return [...nested, ...members(a.filter(isFields), b.filter(isFields), position)];
}

function members(a: readonly Fields[], b: readonly Fields[], position: Position): readonly string[] {
  if (a.length === 0 || b.length === 0) return [];
  const namesOf = (list: readonly Fields[]): readonly string[] => [...new Set(list.flatMap((item) => Object.keys(item)))];
  if (position.maps.has(/[^.[\]]+$/.exec(position.path)?.[0] ?? ''))
    return compare(
      a.flatMap((item) => Object.values(item)),
      b.flatMap((item) => Object.values(item)),
      { ...position, path: `${position.path}.*` },
    );
  const [firstNames, secondNames] = [namesOf(a), namesOf(b)];
  return [
    ...firstNames.filter((name) => !secondNames.includes(name)).map((name) => `${position.path}.${name}: only in the first`),
    ...secondNames.filter((name) => !firstNames.includes(name)).map((name) => `${position.path}.${name}: only in the second`),
    ...firstNames.flatMap((name) =>
      compare(
        a.map((item) => item[name]),
        b.map((item) => item[name]),
        { ...position, path: `${position.path}.${name}` },
      ),
    ),
  ];
}

const present = (list: readonly unknown[]): readonly unknown[] => list.filter((item) => item !== null && item !== undefined);
const typesOf = (list: readonly unknown[]): ReadonlySet<string> =>
  new Set(list.map((item) => (Array.isArray(item) ? 'list' : typeof item)));
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
