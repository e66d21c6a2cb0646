import { basename } from 'node:path';
import { type FSWatcher, watch as watchFolders } from 'chokidar';
import { fingerprint, identityOf, watchedEntriesOf } from './fingerprint.ts';

/** Options of a watcher. */
export interface WatchOptions {
  /** Called on the first event for a watched file, before a change is confirmed. */
  onFirstEvent?(): void;
  /** Called once after a burst of changes. Calls never overlap. */
  onChange(): void;
  /** Changes within this time, in milliseconds, are reported as one. */
  readonly debounceMs?: number;
  /** Poll interval in milliseconds; polling needs no file system events. */
  readonly pollMs?: number;
  /** Called when the system refuses to watch, for example because of too many watches. Polling continues. */
  onFault?(error: unknown): void;
}

/** Watches the files of a configuration until it is closed. */
export interface ConfigWatcher {
  /** Replaces the watched paths: files, and folders in which files may appear. Absolute paths. */
  setPaths(paths: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

const defaultDebounceMs = 50;
const defaultPollMs = 5000;
/** While events keep coming, the paths are compared after this many debounce times. */
const maxDebounces = 20;
/** Comparisons after a new folder was added: the system watch is set in the background, and reports no earlier change. */
const confirmations = 5;

/**
 * Watches the folders of the paths, not the files: a file replaced by a rename, or through the `..data` link of a
 * mounted volume, is a different file afterwards, and events for the old one stop. Events only trigger a comparison of
 * fingerprints, which decides. Polling makes the same comparison.
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
  /** Base names of the paths, of links to them and their targets, and of the link that mounted volumes swap. */
  #names: ReadonlySet<string> = new Set();
  /** Path → last fingerprint. A new path has none, so it counts as changed. */
  #fingerprints = new Map<string, string>();
  /** Folder → its identity when the system watch was set. */
  #folders = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #firstEvent = 0;
  /** Comparisons left until the watches of all folders are assumed to be set. */
  #remainingConfirmations = 0;
  #checking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#debounceMs = options.debounceMs ?? defaultDebounceMs;
    this.#system = watchFolders([], {
      depth: 0,
      ignoreInitial: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      // Watch only the folders themselves: events for their files arrive as raw events, without a watch per file.
      ignored: (path) => !this.#folders.has(path),
    });
    this.#system.on('all', () => this.#schedule());
    this.#system.on('raw', (event, path) => {
      const isWatched = path !== null && this.#names.has(basename(path));
      if (isWatched) options.onFirstEvent?.();
      // Another file's content does not matter, and a log file in the same folder changes all the time.
      if (isWatched || path === null || event !== 'change') this.#schedule();
    });
    this.#system.on('error', (error) => options.onFault?.(error));
    this.#poll = setInterval(() => void this.#check(), options.pollMs ?? defaultPollMs);
    this.#poll.unref();
  }

  async setPaths(paths: readonly string[]): Promise<void> {
    if (this.#closed) return;
    this.#paths = [...new Set(paths)];
    for (const path of this.#fingerprints.keys()) if (!this.#paths.includes(path)) this.#fingerprints.delete(path);
    await this.#watchFolders();
    // A new path may have changed since it was read: compare once.
    if (this.#remainingConfirmations > 0 || this.#paths.some((path) => !this.#fingerprints.has(path))) this.#schedule();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#timer);
    await this.#checking;
    await this.#system.close();
  }

  /** Debounces events, up to a limit. */
  #schedule(): void {
    if (this.#closed) return;
    const now = performance.now();
    if (this.#timer === undefined) this.#firstEvent = now;
    else if (now - this.#firstEvent > this.#debounceMs * maxDebounces) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#check();
    }, this.#debounceMs);
  }

  /** Comparisons run one at a time, so that a slow one cannot finish after a later one. */
  #check(): Promise<void> {
    this.#checking = this.#checking.then(async () => {
      if (this.#closed) return;
      try {
        const changed = await this.#compare();
        await this.#watchFolders();
        if (changed && !this.#closed) this.#options.onChange();
        if (this.#remainingConfirmations > 0) {
          this.#remainingConfirmations -= 1;
          this.#schedule();
        }
      } catch (error) {
        // Comparisons are chained: a failed one must not stop the chain.
        this.#options.onFault?.(error);
      }
    });
    return this.#checking;
  }

  async #compare(): Promise<boolean> {
    const now = await Promise.all(this.#paths.map(async (path) => [path, await fingerprint(path)] as const));
    let changed = false;
    for (const [path, print] of now) {
      if (this.#fingerprints.get(path) !== print) changed = true;
      this.#fingerprints.set(path, print);
    }
    return changed;
  }

  /** Sets system watches on the current folders. A folder that was deleted and created again is watched anew. */
  async #watchFolders(): Promise<void> {
    const entries = (await Promise.all(this.#paths.map(watchedEntriesOf))).flat();
    this.#names = new Set(['..data', ...entries.flatMap(({ name }) => name ?? [])]);
    const wanted = new Set(entries.map(({ folder }) => folder));
    const identities = await Promise.all([...wanted].map(async (folder) => [folder, await identityOf(folder)] as const));
    if (this.#closed) return;
    for (const folder of this.#folders.keys()) if (!wanted.has(folder)) this.#unwatch(folder);
    for (const [folder, identity] of identities) {
      if (this.#folders.get(folder) === identity) continue;
      this.#unwatch(folder);
      if (identity === 'absent') continue;
      this.#folders.set(folder, identity);
      this.#system.add(folder);
      this.#remainingConfirmations = confirmations;
    }
  }

  #unwatch(folder: string): void {
    if (this.#folders.delete(folder)) this.#system.unwatch(folder);
  }
}
