import { dirname, matchesGlob, resolve } from 'node:path';
import { mergeFiles, type Source } from '../read/merge-files.ts';
import { fixedFolder, holdsKeys } from '../read/include-pattern.ts';
import { child, entriesOf, itemsOf, type Node, textOf, toValue } from '../read/node.ts';
import type { Problem } from '../report/problem.ts';
import { type ReferenceSources, resolveReferences } from '../read/references.ts';
import type { GatewayKeyEntry } from '../schema/index.ts';

/** An entry of `api_keys`, and the file in which it is written. */
export interface WrittenKey {
  readonly name: string;
  readonly entry: Partial<GatewayKeyEntry>;
  /** Absolute. */
  readonly file: string;
}

/** What a command about keys needs to know of a configuration. Nothing else of it has to be valid. */
export interface WrittenKeys {
  readonly keys: readonly WrittenKey[];
  /** Names of files that are not readable as YAML. */
  readonly broken: readonly string[];
  /** Absolute path → text, as read. */
  readonly texts: Readonly<Record<string, string>>;
  /** `include` of the file itself. */
  readonly include: readonly string[];
  readonly stateDir: string | undefined;
}

interface SourceLocation {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads a configuration and its includes for their keys; references outside `api_keys` are not resolved. */
export function readKeys(source: Source, { cwd, env }: SourceLocation): WrittenKeys {
  const problems: Problem[] = [];
  const sources: ReferenceSources = {
    cwd,
    env,
    report: (problem) => void problems.push(problem),
    secret: () => undefined,
    unresolved: () => undefined,
    watch: () => undefined,
  };
  const { root, broken, texts } = mergeFiles(source, sources);
  const resolved = (node: Node | undefined): Node | undefined => (node === undefined ? undefined : resolveReferences(node, sources));
  const include = resolved(child(root, 'include'));
  const unreadable = problems.filter((problem) => problem.code === 'unreadable-file').map((problem) => problem.at.file);
  return {
    keys: entriesOf(resolved(child(root, 'api_keys'))).flatMap(({ key, keyAt, value }): WrittenKey[] => {
      const entry: unknown = toValue(value);
      const isEntry = !key.startsWith('x-') && typeof entry === 'object' && entry !== null && !Array.isArray(entry);
      return isEntry ? [{ name: key, entry, file: keyAt.file.path }] : [];
    }),
    broken: [...new Set([...broken, ...unreadable].map((file) => file.name))],
    texts,
    include: (include?.kind === 'list' ? itemsOf(include) : [include]).flatMap((node) => textOf(node) ?? []),
    stateDir: textOf(resolved(child(child(root, 'server'), 'state_dir'))),
  };
}

/**
 * The file of its own that a new key gets: in an included folder for keys (one with "key" in its name), by a pattern that
 * finds it there. Undefined where no such directory is included.
 */
export function fileForKey(name: string, include: readonly string[], configPath: string): string | undefined {
  const base = dirname(configPath);
  for (const pattern of include) {
    const folder = fixedFolder(pattern, base);
    if (folder === undefined || !holdsKeys(pattern, base)) continue;
    const found = ['.yaml', '.yml'].map((ext) => `${folder}/${name}${ext}`).find((path) => matchesGlob(path, resolve(base, pattern)));
    if (found !== undefined) return found;
  }
  return undefined;
}
