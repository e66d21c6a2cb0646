import { readText, reasonOf } from './files.ts';
import { type MapNode, type SourceLocation, textOf, withValueAt } from './node.ts';
import type { ProblemReporter } from '../report/problem.ts';
import { pathOf } from './registry.ts';

interface KeySetDeps {
  readonly cwd: string;
  readonly report: ProblemReporter;
  unresolved(at: SourceLocation): void;
  watch(path: string): void;
}

/** Largest key set in bytes. A set of public keys has a few kilobytes; more is a mistake. */
const maxSize = 1024 * 1024;

/**
 * Replaces the file name in `auth.jwt.jwks` with the content of the file, so that a changed file is a changed
 * configuration. Paths are relative to the file that names them. Public keys are not secret, unlike values of
 * `${file:}`.
 */
export function withKeySet(root: MapNode, files: KeySetDeps): MapNode {
  return withValueAt(root, ['auth', 'jwt', 'jwks'], (jwks) => {
    const written = textOf(jwks);
    if (jwks.kind !== 'scalar' || !isPath(written)) return jwks;
    const path = pathOf(jwks, written, files.cwd);
    files.watch(path);
    const text = read(path, written, jwks.at, files);
    return text === undefined ? jwks : { ...jwks, value: text };
  });
}

/** True for text that is neither a URL nor a key set. */
function isPath(text: string | undefined): text is string {
  return text !== undefined && text !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(text) && !text.trimStart().startsWith('{');
}

function read(path: string, written: string, at: SourceLocation, { report, unresolved }: KeySetDeps): string | undefined {
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
