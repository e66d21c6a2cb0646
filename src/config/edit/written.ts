import { dirname, join } from 'node:path';
import { mergeFiles, type Source } from '../read/merge-files.ts';
import { matchesPattern, baseFolderOf, isKeyFolder } from '../read/include-pattern.ts';
import { child, entriesOf, itemsOf, type Node, textOf, toValue } from '../read/node.ts';
import { createProblemRedactor } from '../report/frame.ts';
import type { Problem, ProblemReporter } from '../report/problem.ts';
import { type ReferenceContext, resolveReferences, silentContext } from '../read/references.ts';
import type { GatewayKeyEntry } from '../schema/index.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import type { ListenSetting } from '../../core/http/listen-address.ts';

/** An entry of `api_keys`, and the file that contains it. */
export interface WrittenKey {
  readonly name: string;
  readonly entry: Partial<GatewayKeyEntry>;
  /** Absolute path. */
  readonly file: string;
}

/** The parts of a configuration that commands about keys need. The rest need not be valid. */
export interface WrittenKeys {
  readonly keys: readonly WrittenKey[];
  /** Names of files that cannot be parsed as YAML. */
  readonly broken: readonly string[];
  /** Absolute path → text as read. */
  readonly texts: Readonly<Record<string, string>>;
  /** `include` of the main file. */
  readonly include: readonly string[];
  readonly stateDir: string | undefined;
  /** `logging.requests.store`. `isUnknown` means that it refers to a value this process cannot read. */
  readonly store: { readonly text: string | undefined; readonly isUnknown: boolean };
}

interface ReadEnvironment {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads a configuration and its includes as written. No reference is resolved, and the content need not be valid. */
export function readUnresolved(source: Source, environment: ReadEnvironment, report?: ProblemReporter) {
  const redacted = createProblemRedactor();
  const unresolved = new Set<string>();
  const sources: ReferenceContext = {
    ...silentContext(environment),
    report: (problem) => report?.(redacted(problem)),
    unresolved: (at) => void unresolved.add(locationKey(at)),
  };
  const resolved = (node: Node | undefined): Node | undefined => (node === undefined ? undefined : resolveReferences(node, sources));
  /** For a resolved node: true when it refers to a value that this process cannot read. */
  const isUnresolved = ({ at }: Node): boolean => unresolved.has(locationKey(at));
  return { ...mergeFiles(source, sources), resolved, isUnresolved };
}

/** Reads the keys of a configuration and its includes, and the place where their use is recorded. Nothing else is resolved. */
export function readKeys(source: Source, environment: ReadEnvironment): WrittenKeys {
  const problems: Problem[] = [];
  const { root, broken, texts, resolved, isUnresolved } = readUnresolved(source, environment, (problem) => void problems.push(problem));
  const include = resolved(child(root, 'include'));
  const unreadable = problems.filter((problem) => problem.code === 'unreadable-file').map((problem) => problem.at.file);
  const store = resolved(child(child(child(root, 'logging'), 'requests'), 'store'));
  const isUnknown = store !== undefined && isUnresolved(store);
  return {
    keys: entriesOf(resolved(child(root, 'api_keys'))).flatMap(({ key, keyAt, value }): WrittenKey[] => {
      const entry: unknown = toValue(value);
      const isEntry = !key.startsWith('x-') && isJsonObject(entry);
      return isEntry ? [{ name: key, entry, file: keyAt.file.path }] : [];
    }),
    broken: [...new Set([...broken, ...unreadable].map((file) => file.name))],
    texts,
    include: (include?.kind === 'list' ? itemsOf(include) : [include]).flatMap((node) => textOf(node) ?? []),
    stateDir: textOf(resolved(child(child(root, 'server'), 'state_dir'))),
    store: { text: isUnknown ? undefined : textOf(store), isUnknown },
  };
}

/**
 * Path for the file of a new key: in an included folder for keys (with "key" in its name), under a name that its pattern
 * matches. Undefined when no such folder is included.
 */
export function fileForKey(name: string, include: readonly string[], configPath: string): string | undefined {
  const base = dirname(configPath);
  for (const pattern of include) {
    if (!isKeyFolder(pattern, base)) continue;
    const folder = baseFolderOf(pattern, base);
    const found = ['.yaml', '.yml'].map((ext) => join(folder, `${name}${ext}`)).find((path) => matchesPattern(path, pattern, base));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Addresses on which a gateway with this configuration listens. */
export interface WrittenListeners {
  readonly listen: ListenSetting | undefined;
  readonly probeListen: ListenSetting | undefined;
  /** Problems that prevent reading the files completely, as `file:line: message`. The readable parts are used anyway. */
  readonly faults: readonly string[];
  /** False when the main file cannot be read. */
  readonly isRead: boolean;
}

/** Reads the listen addresses of a configuration and its includes. Nothing else is resolved or has to be valid. */
export function readListeners(source: Source, environment: ReadEnvironment): WrittenListeners {
  const faults: string[] = [];
  const { root, texts, resolved } = readUnresolved(source, environment, ({ code, at, message }) => {
    if (faultCodes.has(code)) faults.push(`${at.file.name}:${at.line}: ${message}`);
  });
  const setting = (name: string): ListenSetting | undefined => settingOf(resolved(child(child(root, 'server'), name)));
  return {
    listen: setting('listen'),
    probeListen: setting('probe_listen'),
    faults,
    isRead: !('path' in source) || Object.keys(texts).length > 0,
  };
}

/** The parts of a configuration that a command needs to reach the admin API of its gateway. */
export interface WrittenAdmin {
  readonly listen: ListenSetting | undefined;
  /** Undefined when not set, or when it refers to a value that this process cannot read. */
  readonly token: string | undefined;
  readonly stateDir: string | undefined;
  /** First problem that prevents reading the files completely, as `file:line: message`: the unread part may contain the other values. */
  readonly fault: string | undefined;
  /** False when the main file cannot be read. */
  readonly isRead: boolean;
}

/** Reads `server.admin` of a configuration and its includes. Nothing else is resolved or has to be valid. */
export function readAdmin(source: Source, environment: ReadEnvironment): WrittenAdmin {
  let fault: string | undefined;
  const { root, texts, resolved, isUnresolved } = readUnresolved(source, environment, ({ code, at, message }) => {
    if (code === 'yaml-syntax' || code === 'unreadable-file') fault ??= `${at.file.name}:${at.line}: ${message}`;
  });
  const server = child(root, 'server');
  const admin = child(server, 'admin');
  const token = resolved(child(admin, 'token'));
  return {
    listen: settingOf(resolved(child(admin, 'listen'))),
    token: token === undefined || isUnresolved(token) ? undefined : textOf(token) || undefined,
    stateDir: textOf(resolved(child(server, 'state_dir'))),
    fault,
    isRead: !('path' in source) || Object.keys(texts).length > 0,
  };
}

const locationKey = ({ file, line, column }: Node['at']): string => `${file.path}:${line}:${column}`;

const faultCodes: ReadonlySet<string> = new Set(['yaml-syntax', 'unreadable-file', 'unset-variable', 'unknown-reference']);

function settingOf(node: Node | undefined): ListenSetting | undefined {
  const value = node === undefined ? undefined : toValue(node);
  if (typeof value === 'string') return value === '' ? undefined : value;
  return isJsonObject(value) && typeof value['unix'] === 'string' ? { unix: value['unix'] } : undefined;
}
