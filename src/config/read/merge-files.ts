import { existsSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { maxConfigFile, NotUtf8Error, readText, reasonOf, type SavedFiles } from './files.ts';
import {
  filesIn,
  matchingFiles,
  matchesPattern,
  baseFolderOf,
  matchingFolders,
  isKeyFolder,
  isIntentionallyEmpty,
  isPattern,
  isTestFile,
  PatternError,
} from './include-pattern.ts';
import { type Entry, type ListNode, type MapNode, type Node, type SourceLocation, type SourceFile, textOf, withEntries } from './node.ts';
import { parse, sourceFile } from './yaml/parse.ts';
import { barePath } from '../../core/text/display-path.ts';
import { errorCode } from '../../core/text/error-code.ts';
import { shortList } from '../../core/text/wording.ts';
import { locationText, type ProblemReporter } from '../report/problem.ts';
import { type ReferenceContext, resolveReferences } from './references.ts';
import { targetSettings } from '../schema/target.ts';

/** Top-level keys that hold named entries. They are merged across files; a name defined twice is an error. */
const namedSections = ['providers', 'virtual_keys', 'api_keys', 'configs', 'prompts'] as const;

/** All files of a configuration, merged into one tree. */
export interface MergedFiles {
  readonly root: MapNode;
  readonly files: readonly SourceFile[];
  /** Files that cannot be parsed as YAML. Their other problems are meaningless. */
  readonly broken: ReadonlySet<SourceFile>;
  /** Absolute path → text as read. */
  readonly texts: Readonly<Record<string, string>>;
}

export type Source = { readonly path: string } | { readonly text: string; readonly name: string };

/** Reads the main file and, through `include`, all others. Only references in `include` are resolved. */
export function mergeFiles(source: Source, sources: ReferenceContext, saved?: SavedFiles): MergedFiles {
  return new FileMerger(sources, saved).run(source);
}

class FileMerger {
  readonly #sources: ReferenceContext;
  readonly #report: ProblemReporter;
  readonly #saved: SavedFiles | undefined;
  readonly #texts: Record<string, string> = {};
  readonly #files: SourceFile[] = [];
  readonly #broken = new Set<SourceFile>();
  readonly #seen = new Set<string>();
  readonly #sections = new Map<string, { first: Entry; at: SourceLocation; names: Map<string, Entry> }>();
  readonly #otherEntries = new Map<string, Entry>();

  constructor(sources: ReferenceContext, saved: SavedFiles | undefined) {
    this.#sources = sources;
    this.#report = sources.report;
    this.#saved = saved;
  }

  run(source: Source): MergedFiles {
    const path = 'path' in source ? resolve(this.#sources.cwd, source.path) : '';
    const name = 'path' in source ? this.#displayName(path) : source.name;
    const text =
      'path' in source ? this.#read(path, { file: { path, name, lines: [] }, line: 1, column: 1, endColumn: 2, endLine: 1 }) : source.text;
    const file = this.#addFile(path, name, text ?? '', []);
    const root: SourceLocation = { file, line: 1, column: 1, endColumn: (file.lines[0] ?? '').length + 1, endLine: 1 };
    if (text === undefined) this.#broken.add(file);
    const sections = [...this.#sections].map(([key, { first, at, names }]): [string, Entry] => [
      key,
      { ...first, value: { kind: 'map', at, entries: names } },
    ]);
    // A section that is no mapping in one of the files is kept, so that its type is reported.
    const entries = new Map([...sections, ...this.#otherEntries]);
    return { root: { kind: 'map', at: root, entries }, files: this.#files, broken: this.#broken, texts: this.#texts };
  }

  /** Parses and merges one file, then reads the files that it includes. */
  #addFile(path: string, name: string, text: string, includeChain: readonly string[]): SourceFile {
    const source = sourceFile(path, name, text);
    const { file } = source;
    this.#files.push(file);
    if (path !== '') {
      this.#seen.add(path);
      this.#sources.watch(path);
    }
    if (text.trim() === '' && includeChain.length > 0) {
      this.#reportEmpty(file);
      return file;
    }
    const parsed = parse(file, source.text, this.#report, (at) => this.#sources.unresolved(at));
    if (parsed.broken) this.#broken.add(file);
    const root = includeChain.length > 0 ? this.#wrapUnnamed(parsed.root, file) : parsed.root;
    if (root === undefined) return file;
    if (root.kind !== 'map') {
      if (!parsed.broken)
        this.#report({
          code: 'yaml-syntax',
          at: root.at,
          message: 'the file must be a mapping of keys to values',
          hint: 'begin with version: 1',
        });
      this.#broken.add(file);
      return file;
    }
    for (const entry of root.entries.values()) this.#merge(entry, includeChain.length > 0);
    const include = root.entries.get('include')?.value;
    if (include !== undefined) this.#include(include, file, [...includeChain, path]);
    return file;
  }

  /**
   * Rejects an empty included file. A file being overwritten is empty for a moment, and its entries must not disappear
   * from the running configuration.
   */
  #reportEmpty(file: SourceFile): void {
    this.#report({
      code: 'yaml-syntax',
      at: { file, line: 1, column: 1, endColumn: 2, endLine: 1 },
      message: 'the included file is empty',
      hint: 'delete the file, or write a comment into it if it is empty on purpose',
    });
    this.#broken.add(file);
  }

  /** Moves a config object or prompt at the top level of an included file below a name, so that the rest can be checked. */
  #wrapUnnamed(root: Node | undefined, file: SourceFile): Node | undefined {
    if (root?.kind !== 'map') return root;
    const prompt = root.entries.get('messages') ?? root.entries.get('versions');
    const bare = prompt ?? [...root.entries.values()].find((entry) => configObjectKeys.has(entry.key));
    const [what, section] = prompt === undefined ? ['a config object', 'configs'] : ['a prompt', 'prompts'];
    if (bare === undefined || [...root.entries.keys()].some((key) => (namedSections as readonly string[]).includes(key))) return root;
    const name = basename(file.name, extname(file.name)).toLowerCase();
    this.#report({
      code: 'unknown-key',
      at: bare.keyAt,
      message: `${what} is at the top level of an included file`,
      hint: `indent it below a name: ${section}: {${name}: …}`,
      docs: 'docs/configuration.md#top-level',
    });
    const entry = (key: string, value: Node): Entry => ({ key, written: key, keyAt: bare.keyAt, value });
    const config = withEntries(
      root,
      [...root.entries.values()].filter((one) => one.key !== 'version' && one.key !== 'include'),
    );
    return withEntries(root, [entry(section, withEntries(root, [entry(name, config)]))]);
  }

  #merge(entry: Entry, included: boolean): void {
    const { key, value } = entry;
    if (included && (key === 'include' || key.startsWith('x-'))) return;
    if ((namedSections as readonly string[]).includes(key) && (value.kind === 'map' || (value.kind === 'scalar' && value.value === null))) {
      this.#mergeNames(entry, value.kind === 'map' ? [...value.entries.values()] : []);
      return;
    }
    const first = this.#otherEntries.get(key);
    if (included && key === 'version' && (value.kind !== 'scalar' || value.value !== 1)) {
      this.#report({ code: 'wrong-type', at: value.at, message: '"version" must be 1', hint: 'write version: 1, or remove the key' });
    }
    if (first === undefined) this.#otherEntries.set(key, entry);
    else if (key !== 'version') this.#reportDuplicate(`"${key}"`, entry, first);
  }

  #mergeNames(section: Entry, entries: readonly Entry[]): void {
    const known = this.#sections.get(section.key) ?? { first: section, at: section.value.at, names: new Map<string, Entry>() };
    this.#sections.set(section.key, known);
    for (const entry of entries) {
      const first = known.names.get(entry.key);
      if (first === undefined) known.names.set(entry.key, entry);
      else this.#reportDuplicate(`${section.key}.${entry.key}`, entry, first);
    }
  }

  #reportDuplicate(what: string, entry: Entry, first: Entry): void {
    this.#report({
      code: 'duplicate-key',
      at: entry.keyAt,
      message: `${what} is defined twice`,
      hint: `first defined at ${locationText(first.keyAt)}`,
    });
  }

  #include(value: Node, file: SourceFile, above: readonly string[]): void {
    const unresolved = new Set<SourceLocation>();
    const markUnresolved = (at: SourceLocation): void => {
      unresolved.add(at);
      this.#sources.unresolved(at);
    };
    const resolved = resolveReferences(value, { ...this.#sources, unresolved: markUnresolved });
    const nodes = resolved.kind === 'list' ? (resolved as ListNode).items : [resolved];
    for (const node of nodes) {
      if (unresolved.has(node.at)) continue;
      const pattern = textOf(node);
      if (pattern !== undefined && pattern !== '') this.#includePattern(pattern, node.at, file, above);
      else if (above.length > 1)
        this.#report({
          code: 'wrong-type',
          at: node.at,
          message: '"include" must be a list of file names',
          hint: 'write include: [configs/*.yaml]',
        });
    }
  }

  #includePattern(pattern: string, at: SourceLocation, file: SourceFile, above: readonly string[]): void {
    const base = file.path === '' ? this.#sources.cwd : dirname(file.path);
    // The name of an existing file is not a pattern, whatever characters it contains.
    const glob = isPattern(pattern) && !this.#fileExists(resolve(base, pattern));
    if (glob) this.#sources.watch(baseFolderOf(pattern, base));
    const found = glob ? this.#matches(pattern, base, at) : [resolve(base, pattern)];
    if (found?.length === 0) this.#reportNoMatch(pattern, base, at);
    if (found === undefined) return;
    for (const path of found) {
      // A pattern that also matches its own file means the other files.
      if (glob && path === file.path) continue;
      if (above.includes(path)) this.#reportCycle(path, at, above);
      else if (!this.#seen.has(path)) this.#includeFile(path, at, above);
    }
  }

  #fileExists(path: string): boolean {
    return this.#saved === undefined ? existsSync(path) : Object.hasOwn(this.#saved, path);
  }

  /**
   * If the folder for API keys is missing, the gateway would accept everyone. Only an existing folder that is empty on
   * purpose is accepted.
   */
  #reportNoMatch(pattern: string, base: string, at: SourceLocation): void {
    const folder = baseFolderOf(pattern, base);
    if (isIntentionallyEmpty(folder)) return;
    const message = `no file matches "${pattern}"`;
    const others = this.#saved === undefined ? filesIn(folder) : [];
    const hint =
      others === undefined
        ? `the folder ${this.#displayName(folder)} does not exist`
        : others.length === 0
          ? `the folder ${this.#displayName(folder)} is empty`
          : `the folder ${this.#displayName(folder)} has ${shortList(others, 3)}`;
    if (isKeyFolder(pattern, base) && others?.length !== 0) {
      this.#report({ code: 'no-match', severity: 'error', at, message: `${message}: the API keys that it names are missing`, hint });
    } else this.#report({ code: 'no-match', at, message, hint });
  }

  /** Files that match; undefined when the pattern cannot be used. */
  #matches(pattern: string, base: string, at: SourceLocation): readonly string[] | undefined {
    if (this.#saved !== undefined) {
      return Object.keys(this.#saved)
        .filter((path) => matchesPattern(path, pattern, base) && !isTestFile(path))
        .toSorted();
    }
    try {
      for (const folder of matchingFolders(pattern, base)) this.#sources.watch(folder);
      return matchingFiles(pattern, base).filter((path) => !isTestFile(path));
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      this.#report({ code: 'out-of-range', at, message: error.message, hint: 'name a directory that contains only configuration files' });
      return undefined;
    }
  }

  #includeFile(path: string, at: SourceLocation, above: readonly string[]): void {
    this.#seen.add(path);
    const text = this.#read(path, at);
    if (text !== undefined) this.#addFile(path, this.#displayName(path), text, above);
  }

  #reportCycle(path: string, at: SourceLocation, above: readonly string[]): void {
    const loop = [...above.slice(above.indexOf(path)), path].map((one) => this.#displayName(one));
    this.#report({ code: 'cycle', at, message: 'the includes form a cycle', hint: loop.join(' → ') });
  }

  #read(path: string, at: SourceLocation): string | undefined {
    this.#sources.watch(path);
    try {
      const text = this.#saved === undefined ? readText(path, maxConfigFile) : this.#saved[path];
      if (text === undefined) throw Object.assign(new Error('not saved'), { code: 'ENOENT' });
      this.#texts[path] = text;
      return text;
    } catch (error) {
      if (error instanceof NotUtf8Error) {
        const { line, column } = error;
        const location = { file: { path, name: this.#displayName(path), lines: [] }, line, column, endColumn: column + 1, endLine: line };
        this.#report({
          code: 'yaml-syntax',
          at: location,
          message: 'the file is not text in UTF-8',
          hint: 'save it as UTF-8',
          show: 'none',
        });
        return undefined;
      }
      this.#report({
        code: 'unreadable-file',
        at,
        message: `the file "${this.#displayName(path)}" cannot be read (${reasonOf(error)})`,
        hint:
          errorCode(error) === 'ENOTREG' && at.file.path === path
            ? 'name - as the file to read standard input'
            : `the working directory is ${this.#sources.cwd}`,
      });
      return undefined;
    }
  }

  #displayName(path: string): string {
    return barePath(path, this.#sources.cwd);
  }
}

/** Keys of a config object that are no top-level keys. */
const configObjectKeys: ReadonlySet<string> = new Set(
  [...Object.keys(targetSettings.properties), 'targets'].filter((key) => key !== 'description'),
);
