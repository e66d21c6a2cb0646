import type { Origin } from '../../core/logs/explanation.ts';
import type { Provider } from '../../core/provider.ts';
import { createMask } from '../../core/secrets/mask.ts';
import { canonicalizeKeys } from '../read/canonical-keys.ts';
import type { SavedFiles } from '../read/files.ts';
import { mergeFiles, type Source } from '../read/merge-files.ts';
import { formatPath, type Node, type Path, type SourceLocation, traverse } from '../read/node.ts';
import { silentContext } from '../read/references.ts';
import { isSecretKey, printableSecret, maskUrlSecrets } from '../read/secrets.ts';

/** One value of the files. */
export interface WrittenValue {
  /** Path in canonical spelling, such as `configs.support.targets[0].override_params.temperature`. */
  readonly path: string;
  /** Printable form: references unresolved, secrets masked. */
  readonly value: string;
  readonly origin: Origin;
}

/** Input for finding locations. */
export interface OriginSource {
  readonly source: Source;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly providers: readonly Provider[];
  /** Texts that were loaded. The files on disk may be newer. */
  readonly texts: SavedFiles;
  readonly secrets: readonly string[];
}

/** What the files contain. Plain data, because a process of its own collects it: parsing takes long. */
export interface WrittenLocations {
  /** Printable values, in the order of the files. */
  readonly values: readonly WrittenValue[];
  /** Path → location, including values from includes and anchors. */
  readonly locations: Readonly<Record<string, Origin>>;
  /** Path → text with references, such as `${env:OPENAI_API_KEY}`. */
  readonly references: Readonly<Record<string, string>>;
}

/** Parses the texts of a loaded configuration again for locations. Reads the loaded texts, not the disk. */
export function locateWritten({ source, cwd, env, providers, texts, secrets }: OriginSource): WrittenLocations {
  const sources = silentContext({ cwd, env });
  const { root } = mergeFiles(source, sources, texts);
  const mask = createMask(secrets);
  const locations = new Map<string, Origin>();
  const references = new Map<string, string>();
  const values: WrittenValue[] = [];
  traverse(canonicalizeKeys(root, { providers, plugins: [], external: new Map(), cwd }, sources.report), (node, path, entry) => {
    const name = formatPath(path);
    const origin = originOf(entry?.keyAt ?? node.at);
    locations.set(name, origin);
    if (node.kind === 'scalar' && /\$\{(?:env|file):/.test(node.text)) references.set(name, printableSecret(node.text));
    if (isLeafValue(node)) values.push({ path: name, value: mask.text(printableValue(node, path)), origin });
    return true;
  });
  return { values, locations: Object.fromEntries(locations), references: Object.fromEntries(references) };
}

/** Finds locations in the files. */
export class Origins {
  readonly #written: WrittenLocations;

  constructor(written: WrittenLocations) {
    this.#written = written;
  }

  /** Location of the value at a path; null when no file contains it. */
  at(path: string): Origin | null {
    const { locations } = this.#written;
    return Object.hasOwn(locations, path) ? (locations[path] ?? null) : null;
  }

  /** Location of the value at a path, or of its nearest ancestor. */
  near(path: string): Origin | null {
    for (let rest = path; rest !== ''; rest = parentOf(rest)) {
      const found = this.at(rest);
      if (found !== null) return found;
    }
    return null;
  }

  /**
   * Reference texts, such as `${env:OPENAI_API_KEY}`, by resolved value.
   *
   * @param valueAt returns the resolved value at a path
   */
  references(valueAt: (path: string) => unknown): ReadonlyMap<string, string> {
    const known = new Map<string, string>();
    for (const [path, text] of Object.entries(this.#written.references)) {
      const value = valueAt(path);
      if (typeof value === 'string' && value !== '' && !known.has(value)) known.set(value, text);
    }
    return known;
  }
}

const originOf = ({ file, line }: SourceLocation): Origin => ({ file: file.name, line });

/** Parent of a path: `a.b` for `a.b[1]`, `a` for `a.b`. Quoted names may contain dots and brackets. */
function parentOf(path: string): string {
  const quoted = /\."(?:[^"\\]|\\.)*"$/.exec(path);
  if (quoted !== null) return path.slice(0, quoted.index);
  return path.slice(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
}

/** True for a scalar, and for an empty map or list. */
export const isLeafValue = (node: Node): boolean =>
  node.kind === 'scalar' || (node.kind === 'map' && node.entries.size === 0) || (node.kind === 'list' && node.items.length === 0);

/** Printable form of a bare value: secrets as references. Other text may still contain keys, so apply a mask. */
export function printableValue(node: Node, path: Path): string {
  if (node.kind !== 'scalar') return node.kind === 'map' ? '{}' : '[]';
  const key = path.findLast((step) => typeof step === 'string');
  return isSecretKey(key) || isHeaderPath(path) ? printableSecret(node.text) : maskUrlSecrets(node.text);
}

/** True for a header: of a telemetry collector, or of a tool server in `override_params`. Services choose the names, and most are keys. */
const isHeaderPath = (path: Path): boolean => path.slice(2, -1).includes('headers');
