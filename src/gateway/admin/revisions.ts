import { readdirSync } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../core/secrets/sha256.ts';
import type { ValidConfig } from '../../config/reload/load.ts';
import type { SavedFiles } from '../../config/read/files.ts';
import { makeFolder } from '../../core/files/folder.ts';
import { readRegularFile } from '../../core/files/regular-file.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { tryParseObject } from '../../core/json/scan.ts';
import { createMask } from '../../core/secrets/mask.ts';

/** A configuration that was active at some time. */
export interface Revision {
  readonly revision: string;
  /** Unix milliseconds. */
  readonly appliedAt: number;
  /** Changed keys, such as `+providers.claude`. */
  readonly changes: readonly string[];
  /** Absolute path → modification time (Unix milliseconds) and content with secrets masked. */
  readonly files: Readonly<Record<string, { readonly modifiedAt: number; readonly text: string }>>;
  /** A file contains a secret that was masked: the stored texts cannot be applied again. */
  readonly isMasked: boolean;
}

export interface RevisionsDeps {
  /** Absolute path of the main configuration file. If undefined, no revisions are kept. */
  readonly entry: string | undefined;
  /** State directory. If undefined, revisions are kept in memory only. */
  dir(): string | undefined;
  /** Unix milliseconds. */
  now(): number;
  onFault(error: unknown): void;
}

const maxRevisions = 20;
/** Maximum size of the texts of one revision, in characters. Larger revisions are not kept. */
const maxTextLength = 8 * 1024 * 1024;
const nameForm = /^\d{13}-[0-9a-f]{7}\.json$/;

/** The most recent active configurations, in memory and in the state directory. A failed write is only a warning. */
export class Revisions {
  readonly #deps: RevisionsDeps;
  /** Oldest first. */
  #revisions: Revision[] | undefined;
  /** Revision → original texts of this process, including secrets written in them. */
  readonly #texts = new Map<string, SavedFiles>();
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: RevisionsDeps) {
    this.#deps = deps;
  }

  /** Newest first. */
  list(): readonly Revision[] {
    return this.#all().toReversed();
  }

  /** Resolves when every applied configuration is in the list. */
  settled(): Promise<void> {
    return this.#writing;
  }

  /** Returns the newest revision that starts with this prefix. */
  find(revision: string): Revision | undefined {
    return revision === '' ? undefined : this.#all().findLast((one) => one.revision.startsWith(revision));
  }

  /** Returns the newest revision applied before this one, or the newest of all if this one is unknown. */
  before(revision: string): Revision | undefined {
    const all = this.#all();
    const at = all.findLastIndex((one) => one.revision === revision);
    return (at < 0 ? all : all.slice(0, at)).findLast((one) => one.revision !== revision);
  }

  /** Returns the texts to apply this revision again; undefined if a secret in them was masked. */
  textsOf({ revision, files, isMasked }: Revision): SavedFiles | undefined {
    const original = this.#texts.get(revision);
    if (original !== undefined || isMasked) return original;
    return Object.fromEntries(Object.entries(files).map(([path, { text }]) => [path, text]));
  }

  /** Records a configuration that became active. Resolves when it is stored; never rejects. */
  applied({ revision, texts, secrets }: ValidConfig, changes: readonly string[]): Promise<void> {
    const { entry, now, onFault } = this.#deps;
    const size = Object.values(texts).reduce((sum, text) => sum + text.length, 0);
    if (entry === undefined || size > maxTextLength) return Promise.resolve();
    const appliedAt = now();
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#add({ revision, appliedAt, changes, ...(await filesOf(texts, secrets, this.find(revision)?.files)) }, texts);
      } catch (error) {
        onFault(error);
      }
    });
    return this.#writing;
  }

  async #add(made: Revision, texts: SavedFiles): Promise<void> {
    const all = this.#all();
    this.#texts.delete(made.revision);
    this.#texts.set(made.revision, texts);
    // A restart with the same files is not a change.
    if (all.at(-1)?.revision === made.revision) return;
    all.push(made);
    const old = all.splice(0, Math.max(0, all.length - maxRevisions));
    for (const name of this.#texts.keys()) if (!all.some(({ revision }) => revision === name)) this.#texts.delete(name);
    const folder = this.#folder();
    if (folder === undefined) return;
    makeFolder(folder);
    await write(join(folder, nameOf(made)), JSON.stringify(made));
    for (const one of old) await rm(join(folder, nameOf(one)), { force: true });
  }

  #all(): Revision[] {
    return (this.#revisions ??= this.#read());
  }

  #read(): Revision[] {
    const folder = this.#folder();
    if (folder === undefined) return [];
    try {
      const names = readdirSync(folder)
        .filter((name) => nameForm.test(name))
        .toSorted();
      return names.slice(-maxRevisions).flatMap((name) => revisionIn(join(folder, name)) ?? []);
    } catch {
      return [];
    }
  }

  #folder(): string | undefined {
    const { entry } = this.#deps;
    const dir = this.#deps.dir();
    if (dir === undefined || entry === undefined) return undefined;
    return join(dir, `revisions-${sha256(entry).slice(0, 8)}`);
  }
}

const nameOf = ({ appliedAt, revision }: Revision): string => `${String(appliedAt).padStart(13, '0')}-${revision}.json`;

async function write(path: string, text: string): Promise<void> {
  const temporaryPath = `${path}.${process.pid}`;
  try {
    await writeFile(temporaryPath, text, { mode: 0o600 });
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw error;
  }
}

/**
 * Reads the modification time of each file.
 *
 * @param earlier files of a stored revision with the same texts: its times are used for files whose content has changed
 * since
 */
async function filesOf(
  texts: SavedFiles,
  secrets: readonly string[],
  earlier: Revision['files'] | undefined,
): Promise<Pick<Revision, 'files' | 'isMasked'>> {
  const mask = createMask(secrets);
  let isMasked = false;
  const files: Record<string, { modifiedAt: number; text: string }> = {};
  for (const [path, written] of Object.entries(texts)) {
    const text = mask.text(written);
    if (text !== written) isMasked = true;
    // Stat before read: a file written in between then differs in content and its time is not used.
    const found = await stat(path).catch(() => undefined);
    const isUnchanged = (await readFile(path, 'utf8').catch(() => undefined)) === written;
    const modified = isUnchanged ? found?.mtimeMs : undefined;
    files[path] = { modifiedAt: Math.round(modified ?? earlier?.[path]?.modifiedAt ?? 0), text };
  }
  return { files, isMasked };
}

/** Returns undefined for a damaged file. */
function revisionIn(path: string): Revision | undefined {
  try {
    const found = tryParseObject(readRegularFile(path, maxTextLength * 4).toString('utf8'));
    const isOne = typeof found?.['revision'] === 'string' && typeof found['appliedAt'] === 'number' && isJsonObject(found['files']);
    return isOne ? (found as unknown as Revision) : undefined;
  } catch {
    return undefined;
  }
}
