import { readText, reasonOf } from './files.ts';
import { type MapNode, type SourceLocation, textOf, withValueAt } from './node.ts';
import type { Report } from '../report/problem.ts';
import { pathOf } from './registry.ts';

interface Files {
  readonly cwd: string;
  readonly report: Report;
  unresolved(at: SourceLocation): void;
  watch(path: string): void;
}

/** More is a mistake: a set of public keys has some kilobytes. */
const maxSize = 1024 * 1024;

/**
 * `auth.jwt.jwks` may name a file: its content is in its place from here on, so that a changed file is a changed
 * configuration. Paths are relative to the file that names them. Public keys are no secrets, unlike what `${file:}` gives.
 */
export function withKeySet(root: MapNode, files: Files): MapNode {
  return withValueAt(root, ['auth', 'jwt', 'jwks'], (jwks) => {
    const written = textOf(jwks);
    if (jwks.kind !== 'scalar' || !isPath(written)) return jwks;
    const path = pathOf(jwks, written, files.cwd);
    files.watch(path);
    const text = read(path, written, jwks.at, files);
    return text === undefined ? jwks : { ...jwks, value: text };
  });
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
