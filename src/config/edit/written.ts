import { dirname, join } from 'node:path';
import { mergeFiles, type Source } from '../read/merge-files.ts';
import { fits, folderOf, holdsKeys } from '../read/include-pattern.ts';
import { child, entriesOf, itemsOf, type Node, textOf, toValue } from '../read/node.ts';
import { hidingSecrets } from '../report/frame.ts';
import type { Problem, Report } from '../report/problem.ts';
import { type ReferenceSources, resolveReferences } from '../read/references.ts';
import type { GatewayKeyEntry } from '../schema/index.ts';
import { isPlain } from '../../core/json/merge.ts';
import type { ListenSetting } from '../../core/http/listen-address.ts';

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
  /** `logging.requests.store`; `isUnknown` where it refers to what this process cannot read. */
  readonly store: { readonly text: string | undefined; readonly isUnknown: boolean };
}

interface Around {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const nothing = (): void => {};

/** A configuration and its includes as they are written: no reference is resolved, and nothing has to be valid. */
export function readWritten(source: Source, { cwd, env }: Around, report: Report = nothing) {
  const shown = hidingSecrets();
  const unresolved = new Set<string>();
  const sources: ReferenceSources = {
    cwd,
    env,
    report: (problem) => report(shown(problem)),
    secret: nothing,
    unresolved: (at) => void unresolved.add(placeOf(at)),
    watch: nothing,
  };
  const resolved = (node: Node | undefined): Node | undefined => (node === undefined ? undefined : resolveReferences(node, sources));
  /** Of one that was resolved: it refers to what this process cannot read. */
  const isUnresolved = ({ at }: Node): boolean => unresolved.has(placeOf(at));
  return { ...mergeFiles(source, sources), resolved, isUnresolved };
}

/** Reads a configuration and its includes for their keys, and for where their use is recorded; nothing else is resolved. */
export function readKeys(source: Source, around: Around): WrittenKeys {
  const problems: Problem[] = [];
  const { root, broken, texts, resolved, isUnresolved } = readWritten(source, around, (problem) => void problems.push(problem));
  const include = resolved(child(root, 'include'));
  const unreadable = problems.filter((problem) => problem.code === 'unreadable-file').map((problem) => problem.at.file);
  const store = resolved(child(child(child(root, 'logging'), 'requests'), 'store'));
  const isUnknown = store !== undefined && isUnresolved(store);
  return {
    keys: entriesOf(resolved(child(root, 'api_keys'))).flatMap(({ key, keyAt, value }): WrittenKey[] => {
      const entry: unknown = toValue(value);
      const isEntry = !key.startsWith('x-') && isPlain(entry);
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
 * The file of its own that a new key gets: in an included folder for keys (one with "key" in its name), by a pattern that
 * finds it there. Undefined where no such directory is included.
 */
export function fileForKey(name: string, include: readonly string[], configPath: string): string | undefined {
  const base = dirname(configPath);
  for (const pattern of include) {
    if (!holdsKeys(pattern, base)) continue;
    const folder = folderOf(pattern, base);
    const found = ['.yaml', '.yml'].map((ext) => join(folder, `${name}${ext}`)).find((path) => fits(path, pattern, base));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where a gateway with this configuration listens. */
export interface WrittenListeners {
  readonly listen: ListenSetting | undefined;
  readonly probeListen: ListenSetting | undefined;
  /** What keeps the files from being read as a whole, as `file:line: message`. The rest of them counts all the same. */
  readonly faults: readonly string[];
  /** False where the file itself cannot be read. */
  readonly isRead: boolean;
}

/** Reads the addresses of a configuration and its includes. Nothing else is resolved or has to be valid. */
export function readListeners(source: Source, around: Around): WrittenListeners {
  const faults: string[] = [];
  const { root, texts, resolved } = readWritten(source, around, ({ code, at, message }) => {
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

/** What a command needs to reach the admin API of a gateway with this configuration. */
export interface WrittenAdmin {
  readonly listen: ListenSetting | undefined;
  /** Undefined where it is not set, or refers to what this process cannot read. */
  readonly token: string | undefined;
  readonly stateDir: string | undefined;
  /** What keeps the files from being read as a whole, as `file:line: message`: the others may be in that part. */
  readonly fault: string | undefined;
  /** False where the file itself cannot be read. */
  readonly isRead: boolean;
}

/** Reads `server.admin` of a configuration and its includes. Nothing else is resolved or has to be valid. */
export function readAdmin(source: Source, around: Around): WrittenAdmin {
  let fault: string | undefined;
  const { root, texts, resolved, isUnresolved } = readWritten(source, around, ({ code, at, message }) => {
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

const placeOf = ({ file, line, column }: Node['at']): string => `${file.path}:${line}:${column}`;

const faultCodes: ReadonlySet<string> = new Set(['yaml-syntax', 'unreadable-file', 'unset-variable', 'unknown-reference']);

function settingOf(node: Node | undefined): ListenSetting | undefined {
  const value = node === undefined ? undefined : toValue(node);
  if (typeof value === 'string') return value === '' ? undefined : value;
  return isPlain(value) && typeof value['unix'] === 'string' ? { unix: value['unix'] } : undefined;
}
