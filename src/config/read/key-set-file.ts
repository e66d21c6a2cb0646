import { dirname, resolve } from 'node:path';
import { readText, reasonOf } from './files.ts';
import { child, type Entry, type MapNode, type SourceLocation, textOf, withEntries } from './node.ts';
import type { Report } from '../report/problem.ts';

interface Files {
  readonly cwd: string;
  readonly report: Report;
  unresolved(at: SourceLocation): void;
  watch(path: string): void;
}

/** More is a mistake: a set of public keys has some kilobytes. */
const maxSize = 1024 * 1024;

/**
 * `auth.jwt.jwks` may name a file: its content stands in its place from here on, so that a changed file is a changed
 * configuration. Paths are relative to the file that names them. Public keys are no secrets, unlike what `${file:}` gives.
 */
export function withKeySet(root: MapNode, files: Files): MapNode {
  const auth = root.entries.get('auth');
  const jwt = child(auth?.value, 'jwt');
  const jwks = child(jwt, 'jwks');
  const written = textOf(jwks);
  if (auth?.value.kind !== 'map' || jwt?.kind !== 'map' || jwks?.kind !== 'scalar' || !isPath(written)) return root;
  const path = resolve(jwks.at.file.path === '' ? files.cwd : dirname(jwks.at.file.path), written);
  files.watch(path);
  const text = read(path, written, jwks.at, files);
  const key = jwt.entries.get('jwks');
  const holder = auth.value.entries.get('jwt');
  if (text === undefined || key === undefined || holder === undefined) return root;
  const set = { ...key, value: { ...jwks, value: text } };
  return put(root, 'auth', { ...auth, value: put(auth.value, 'jwt', { ...holder, value: put(jwt, 'jwks', set) }) });
}

/** The mapping with one entry exchanged, in its place. */
function put(map: MapNode, key: string, value: Entry): MapNode {
  return withEntries(
    map,
    [...map.entries.values()].map((entry) => (entry.key === key ? value : entry)),
  );
}

/** Neither a URL nor a set. */
function isPath(text: string | undefined): text is string {
  return text !== undefined && text !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(text) && !text.trimStart().startsWith('{');
}

function read(path: string, written: string, at: SourceLocation, { report, unresolved }: Files): string | undefined {
  try {
    const text = readText(path, maxSize);
    if (text.trimStart().startsWith('{')) return text;
    unresolved(at);
    report({
      code: 'wrong-type',
      at,
      message: `the file "${written}" is not a JSON Web Key Set`,
      hint: 'a key set looks like {"keys": [ … ]}',
    });
  } catch (error) {
    unresolved(at);
    report({ code: 'unreadable-file', at, message: `the file "${written}" cannot be read (${reasonOf(error)})`, hint: `that is ${path}` });
  }
  return undefined;
}
