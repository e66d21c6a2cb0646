import { basename } from 'node:path';
import { type FSWatcher, watch as watchFolders } from 'chokidar';
import { fingerprint, foldersOf, identityOf } from './fingerprint.ts';

/** What a watcher needs to know. */
export interface WatchOptions {
  /** Called at the first sign of a change of a watched file, before it is known to be one. */
  onSign?(): void;
  /** Called after a burst of changes; never twice at once. */
  onChange(): void;
  /** Changes this close together, in milliseconds, are one. */
  readonly debounceMs?: number;
  /** Time between two looks that need no event, in milliseconds. */
  readonly pollMs?: number;
  /** Told when the system refuses to watch (for example too many watches); the slow look goes on. */
  onFault?(error: unknown): void;
}

/** Watches the files of a configuration until it is closed. */
export interface ConfigWatcher {
  /** What to watch from now on: files, and folders in which files may appear. Absolute paths. */
  setPaths(paths: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

const defaultDebounceMs = 50;
const defaultPollMs = 5000;
/** A folder that never comes to rest is looked at after so many debounce times. */
const patience = 20;

/**
 * Watches the folders that hold the paths, not the files: a file that is replaced by renaming, or through the `..data`
 * link of a mounted volume, is another file afterwards, and events on the old one stop. Every event is only a reason to
 * look; what decides is a comparison of fingerprints, which the slow poll makes too.
 */
export function createWatcher(options: WatchOptions): ConfigWatcher {
  return new FolderWatcher(options);
}

class FolderWatcher implements ConfigWatcher {
  readonly #options: WatchOptions;
  readonly #debounceMs: number;
  readonly #system: FSWatcher;
  readonly #poll: NodeJS.Timeout;
  #paths: readonly string[] = [];
  /** The last parts of the paths, and the link that mounted volumes swap: events on others are no sign of a change. */
  #names: ReadonlySet<string> = new Set();
  /** Path → fingerprint at the last look; a new path has none, so it counts as changed. */
  #seen = new Map<string, string>();
  /** Folder → its identity when the system was asked to watch it. */
  #folders = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #firstEvent = 0;
  #looking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#debounceMs = options.debounceMs ?? defaultDebounceMs;
    this.#system = watchFolders([], {
      depth: 0,
      ignoreInitial: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      // Only the folders themselves: what happens in them comes as raw events, without a watch on each of their files.
      ignored: (path) => !this.#folders.has(path),
    });
    this.#system.on('all', () => this.#wake());
    this.#system.on('raw', (_event, path) => {
      if (path !== null && this.#names.has(basename(path))) options.onSign?.();
      this.#wake();
    });
    this.#system.on('error', (error) => options.onFault?.(error));
    this.#poll = setInterval(() => void this.#look(), options.pollMs ?? defaultPollMs);
    this.#poll.unref();
  }

  async setPaths(paths: readonly string[]): Promise<void> {
    if (this.#closed) return;
    this.#paths = [...new Set(paths)];
    this.#names = new Set([...this.#paths.map((path) => basename(path)), '..data']);
    for (const path of this.#seen.keys()) if (!this.#paths.includes(path)) this.#seen.delete(path);
    await this.#watchFolders();
    // A new path may have changed between its reading and now: one look decides.
    if (this.#paths.some((path) => !this.#seen.has(path))) this.#wake();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#timer);
    await this.#looking;
    await this.#system.close();
  }

  /** Waits until events stop coming, but not for ever. */
  #wake(): void {
    if (this.#closed) return;
    const now = performance.now();
    if (this.#timer === undefined) this.#firstEvent = now;
    else if (now - this.#firstEvent > this.#debounceMs * patience) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#look();
    }, this.#debounceMs);
  }

  /** One look after the other, so that a slow one can't overtake. */
  #look(): Promise<void> {
    this.#looking = this.#looking.then(async () => {
      if (this.#closed) return;
      try {
        const changed = await this.#compare();
        await this.#watchFolders();
        if (changed && !this.#closed) this.#options.onChange();
      } catch (error) {
        // The looks are a chain: one that fails must not be the last.
        this.#options.onFault?.(error);
      }
    });
    return this.#looking;
  }

  async #compare(): Promise<boolean> {
    const now = await Promise.all(this.#paths.map(async (path) => [path, await fingerprint(path)] as const));
    let changed = false;
    for (const [path, print] of now) {
      if (this.#seen.get(path) !== print) changed = true;
      this.#seen.set(path, print);
    }
    return changed;
  }

  /** Asks the system to watch the folders of today; one that was deleted and made again is asked for anew. */
  async #watchFolders(): Promise<void> {
    const wanted = new Set((await Promise.all(this.#paths.map(foldersOf))).flat());
    const identities = await Promise.all([...wanted].map(async (folder) => [folder, await identityOf(folder)] as const));
    if (this.#closed) return;
    for (const folder of this.#folders.keys()) if (!wanted.has(folder)) this.#forget(folder);
    for (const [folder, identity] of identities) {
      if (this.#folders.get(folder) === identity) continue;
      this.#forget(folder);
      if (identity === 'absent') continue;
      this.#folders.set(folder, identity);
      this.#system.add(folder);
    }
  }

  #forget(folder: string): void {
    if (this.#folders.delete(folder)) this.#system.unwatch(folder);
  }
}
