import { dirname, resolve } from 'node:path';
import { readText, reasonOf } from './files.ts';
import type { ListNode, MapNode, Node, SourceLocation, ScalarNode } from './node.ts';
import type { ProblemReporter } from '../report/problem.ts';

/** Sources from which references are resolved, and callbacks for the results. */
export interface ReferenceContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly report: ProblemReporter;
  /** Called with each value from the environment or a file, and its location. Defaults are not secret. */
  secret(value: string, at: SourceLocation): void;
  /** Called with the location of each value that has an unresolved reference, and so cannot be checked further. */
  unresolved(at: SourceLocation): void;
  /** Called with each file that was read, or that should have been. */
  watch(path: string): void;
}

const nothing = (): void => {};

/** A context whose callbacks do nothing. */
export const silentContext = ({ cwd, env }: Pick<ReferenceContext, 'cwd' | 'env'>): ReferenceContext => ({
  cwd,
  env,
  report: nothing,
  secret: nothing,
  unresolved: nothing,
  watch: nothing,
});

/**
 * Handles a reference that cannot be resolved. True means that it was handled and the value is ''. `what` is the
 * variable's name or the file's path.
 */
export type UnresolvedHandler = (what: string, at: SourceLocation) => boolean;

/** Rules for the references in one part of the tree. */
export interface ReferencePolicy {
  readonly onUnresolved?: UnresolvedHandler;
  /** Another way to fix a missing variable, appended to the hint. */
  readonly alternative?: string;
}

/** Largest secret file in bytes. More is a mistake, and it would be copied into every snapshot. */
const maxFileSize = 1024 * 1024;

/** An escaped `${`, a reference, or a `${` that is neither. */
const pattern = /\$\$\{|\$\{([^{}]*)\}|\$\{/g;

/**
 * Resolves `${env:NAME}`, `${env:NAME:-text}`, `${file:path}` and `$${` in every string of the tree. `text` keeps the
 * printable form. Applied only to files: values in a request are never resolved.
 */
export function resolveReferences(root: Node, sources: ReferenceContext, policy: ReferencePolicy = {}): Node {
  const resolvedNodes = new Map<Node, Node>();
  const visit = (node: Node): Node => {
    const known = resolvedNodes.get(node);
    if (known !== undefined) return known;
    const resolved = node.kind === 'scalar' ? resolveScalar(node, sources, policy) : rebuild(node, visit);
    resolvedNodes.set(node, resolved);
    return resolved;
  };
  return visit(root);
}

function rebuild(node: MapNode | ListNode, visit: (node: Node) => Node): Node {
  if (node.kind === 'list') return { ...node, items: node.items.map(visit) };
  const entries = [...node.entries].map(([key, entry]) => [key, { ...entry, value: visit(entry.value) }] as const);
  return { ...node, entries: new Map(entries) };
}

function resolveScalar(node: ScalarNode, sources: ReferenceContext, policy: ReferencePolicy): ScalarNode {
  const { value } = node;
  if (typeof value !== 'string' || !value.includes('${')) return node;
  let resolved = false;
  const text = value.replace(pattern, (written: string, inner: string | undefined) => {
    if (written === '$${') return '${';
    resolved = true;
    return resolveReference(written, inner, node, sources, policy);
  });
  return { ...node, value: text, text: value, resolved };
}

/** Location of the reference, and of the whole value that contains it. */
interface Positions {
  readonly at: SourceLocation;
  readonly value: SourceLocation;
}

function resolveReference(
  written: string,
  inner: string | undefined,
  node: ScalarNode,
  sources: ReferenceContext,
  policy: ReferencePolicy,
): string {
  const at = locationOfPart(node.at, written);
  const reference = /^(env|file):(.+)$/s.exec(inner ?? '');
  if (reference?.[1] === 'env') return resolveVariable(reference[2] ?? '', written, { at, value: node.at }, sources, policy);
  if (reference?.[1] === 'file') return resolveFile(reference[2] ?? '', { at, value: node.at }, sources, policy);
  sources.unresolved(node.at);
  const name = /^[A-Z][A-Z0-9_]*$/.test(inner ?? '') ? inner : undefined;
  sources.report({
    code: 'unknown-reference',
    at,
    message: `"${written}" is not a reference`,
    hint:
      name === undefined
        ? 'write ${env:NAME} or ${file:path}; a literal "${" is written $${'
        : `write \${env:${name}}; a literal "\${" is written $\${`,
  });
  return '';
}

function resolveVariable(
  text: string,
  written: string,
  { at, value: whole }: Positions,
  sources: ReferenceContext,
  policy: ReferencePolicy,
): string {
  const separator = text.indexOf(':-');
  const name = separator < 0 ? text : text.slice(0, separator);
  const value = Object.hasOwn(sources.env, name) ? sources.env[name] : undefined;
  if (value !== undefined && value !== '') {
    sources.secret(value, whole);
    return value;
  }
  if (separator >= 0) return text.slice(separator + 2);
  sources.unresolved(whole);
  if (policy.onUnresolved?.(name, at) === true) return '';
  sources.report({
    code: 'unset-variable',
    at,
    message: `environment variable ${name} is ${value === undefined ? 'not set' : 'empty'}`,
    hint: `set it${policy.alternative === undefined ? ' or' : ','} add a default with ${written.slice(0, -1)}:-…}${policy.alternative ?? ''}`,
  });
  return '';
}

function resolveFile(path: string, { at, value: whole }: Positions, sources: ReferenceContext, policy: ReferencePolicy): string {
  const base = at.file.path === '' ? sources.cwd : dirname(at.file.path);
  const absolutePath = resolve(base, path);
  sources.watch(absolutePath);
  try {
    // Editors on Windows write a byte order mark, which would become a part of the secret.
    const text = readText(absolutePath, maxFileSize).replace(/^\ufeff|\r?\n$/g, '');
    if (text !== '') sources.secret(text, whole);
    return text;
  } catch (error) {
    sources.unresolved(whole);
    if (policy.onUnresolved?.(path, at) === true) return '';
    sources.report({
      code: 'unreadable-file',
      at,
      message: `the file "${path}" cannot be read (${reasonOf(error)})`,
      hint:
        absolutePath === path
          ? `the working directory is ${sources.cwd}`
          : `that is ${absolutePath}; the working directory is ${sources.cwd}`,
    });
  }
  return '';
}

/** Location of a part of a value, if it is on the value's first line; otherwise the location of the value. */
function locationOfPart(at: SourceLocation, part: string): SourceLocation {
  const line = at.file.lines[at.line - 1] ?? '';
  const found = line.indexOf(part, at.column - 1);
  if (found < 0 || (at.endLine === at.line && found + part.length >= at.endColumn)) return at;
  return { ...at, column: found + 1, endColumn: found + part.length + 1 };
}
