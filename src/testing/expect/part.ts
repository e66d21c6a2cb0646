import { formatPath, type Node, type Path, toValue } from '../../config/read/node.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Failure } from '../test-case.ts';
import { formatValue } from './format.ts';

/**
 * Compares a value with the part of it that a test expects: a mapping may have further members, a list may not have
 * further items.
 */
export function partFailures(what: string, expected: Node, got: unknown, path: Path = []): readonly Failure[] {
  const fail = (): readonly Failure[] => [
    { what: nameOf(what, path), expected: formatValue(toValue(expected)), got: formatValue(got), at: expected.at },
  ];
  if (expected.kind === 'map') {
    if (!isJsonObject(got)) return fail();
    return [...expected.entries.values()].flatMap(({ key, value }) =>
      partFailures(what, value, Object.hasOwn(got, key) ? got[key] : undefined, [...path, key]),
    );
  }
  if (expected.kind === 'list') {
    if (!Array.isArray(got) || got.length !== expected.items.length) return fail();
    return expected.items.flatMap((item, i) => partFailures(what, item, got[i], [...path, i]));
  }
  return expected.value === got ? [] : fail();
}

const nameOf = (what: string, path: Path): string => {
  const inner = formatPath(path);
  return inner === '' ? what : inner.startsWith('[') ? `${what}${inner}` : `${what}.${inner}`;
};

/** The value at a path such as `messages[0].name`; a member with that whole name comes first. Undefined if there is none. */
export function valueAt(root: unknown, path: string): unknown {
  if (!isJsonObject(root) && !Array.isArray(root)) return undefined;
  if (Object.hasOwn(root, path)) return (root as JsonObject)[path];
  const valueOf = (name: string): unknown => (Object.hasOwn(root, name) ? (root as JsonObject)[name] : undefined);
  const [, first = path, rest = ''] = /^\[?([^.[\]]+)\]?\.?(.*)$/s.exec(path) ?? [];
  return rest === '' ? valueOf(first) : valueAt(valueOf(first), rest);
}
