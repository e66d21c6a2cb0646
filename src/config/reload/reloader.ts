import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ConfigChanges, diffConfigs } from '../report/diff.ts';
import type { Diagnostic } from '../report/diagnostic.ts';
import type { LoadedConfig, ValidConfig } from './load.ts';
import { type Loader, LoaderFailure, type PostedRequest } from './loader.ts';
import { areSettled } from '../read/files.ts';
import type { SavedFiles } from '../read/merge-files.ts';
import { type ConfigWatcher, createWatcher } from './watch.ts';

/** How a load ended. */
export type ReloadResult =
  | ({ readonly kind: 'applied'; readonly loaded: ValidConfig; readonly revision: string; readonly ms: number } & ConfigChanges)
  /** The content is what serves already. `recovered`: the load before was rejected. */
  | { readonly kind: 'unchanged'; readonly revision: string; readonly recovered: boolean }
  | {
      readonly kind: 'rejected';
      /** The revision that keeps serving; undefined when none does yet. */
      readonly revision: string | undefined;
      readonly diagnostics: readonly Diagnostic[];
      /** Why it was rejected although the text is good: a plugin's set-up failed, the loader died. */
      readonly cause: Error | undefined;
      /** `server.state_dir` of what was rejected, as far as it can be read. */
      readonly stateDir: string | undefined;
      /** Of what was rejected: no text about it may show them. */
      readonly secrets: readonly string[];
    };

export type Rejected = ReloadResult & { readonly kind: 'rejected' };

export interface ReloaderOptions {
  readonly request: PostedRequest;
  readonly loader: Loader;
  /** Watch the files after the first good load. */
  readonly watch: boolean;
  /** Time between two looks that need no event, in milliseconds. */
  readonly pollMs?: number;
  /** Compiles, sets plugins up and swaps. When it rejects, what served before must still serve. */
  apply(loaded: ValidConfig): Promise<void>;
  /** Told of every result but those of `start` and `hold`; after a change of a file only when it is news. Before `reloadNow` resolves. */
  onResult(result: ReloadResult): void;
  /** What to load where the first load is rejected; undefined when there is nothing. What `request` names is watched. */
  instead?(rejected: Rejected): PostedRequest | undefined;
  /** The watcher is refused by the system; the slow look goes on. */
  onFault?(error: unknown): void;
  /** Time before a load whose worker died or took too long is tried again, in milliseconds; doubled each time. */
  readonly retryMs?: number;
  /** Monotonic milliseconds. */
  now(): number;
}

/** Keeps a configuration up to date with its files. */
export interface Reloader {
  /** The first load, or that of `instead` where only that one can be applied. Never rejects. */
  start(): Promise<ReloadResult>;
  /** Loads now, whether a file changed or not, and says what came of it. Never rejects. */
  reloadNow(): Promise<ReloadResult>;
  /**
   * Loads these texts in place of the files, and stays with them until the files are changed or `reloadNow` is called. A
   * secret that is rotated meanwhile is taken over. Never rejects.
   */
  hold(saved: SavedFiles): Promise<ReloadResult>;
  /**
   * Loads these texts without serving with them; undefined: those that serve. Rejects with a LoaderFailure.
   *
   * @param more what else to find out
   */
  inspect(saved: SavedFiles | undefined, more?: InspectOptions): Promise<LoadedConfig>;
  /** What serves, as it was loaded last: another object also where only remarks or places in the files differ. */
  readonly serving: ValidConfig | undefined;
  close(): Promise<void>;
}

/** What else a load is to find out, and what is read in place of the first file. */
export type InspectOptions = Partial<Pick<PostedRequest, 'wantsPlaces' | 'source'>>;

/** Loads of files that change under the hand. */
const mostTries = 5;

/** Why a load was asked for. */
type Reason = 'start' | 'change' | 'call';

const defaultRetryMs = 1000;
/** The longest pause before a load is tried again, in milliseconds. */
const longestRetryMs = 60_000;
/** The most time that a load gets after its first tries took too long, in milliseconds. */
const longestLoadMs = 600_000;
const firstLoadMs = 10_000;

/** Creates a reloader; `start` makes the first load. */
export function createReloader(options: ReloaderOptions): Reloader {
  return new OneAtATime(options);
}

/** One load after the other; however many changes come during one, they are one more load. */
class OneAtATime implements Reloader {
  readonly #options: ReloaderOptions;
  #serving: ValidConfig | undefined;
  /** What the process began with: what it can't change stays as it is here. */
  #first: ValidConfig | undefined;
  #watcher: ConfigWatcher | undefined;
  #paths: readonly string[] = [];
  /** Queued, not begun. */
  #next: Promise<ReloadResult> | undefined;
  #reasons = new Set<Reason>();
  #last: Promise<unknown> = Promise.resolve();
  /** What was last told about a rejected load, to tell it once; undefined after a good one. */
  #complaint: string | undefined;
  #closed = false;
  /** Loads in a row whose worker died or took too long. */
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  /** Of the files, as they were read last. */
  #texts: SavedFiles | undefined;
  /** What serves in place of the files, and the files that it was chosen over. */
  #held: { readonly saved: SavedFiles; readonly over: SavedFiles | undefined } | undefined;

  constructor(options: ReloaderOptions) {
    this.#options = options;
  }

  async start(): Promise<ReloadResult> {
    const result = await this.#enqueue('start');
    if (result.kind !== 'rejected' && this.#options.watch && !this.#closed) {
      const { pollMs } = this.#options;
      this.#watcher = createWatcher({
        onSign: () => this.#options.loader.prepare(),
        onChange: () => void this.#enqueue('change'),
        ...(pollMs === undefined ? {} : { pollMs }),
        onFault: (error) => this.#options.onFault?.(error),
      });
      await this.#watcher.setPaths(this.#paths);
    }
    return result;
  }

  reloadNow(): Promise<ReloadResult> {
    return this.#enqueue('call');
  }

  hold(saved: SavedFiles): Promise<ReloadResult> {
    const run = this.#last.then(async () => {
      const result = await this.#load({ ...this.#options.request, saved });
      if (result.kind !== 'rejected') this.#held = { saved, over: this.#texts };
      return result;
    });
    this.#last = run;
    return run;
  }

  get serving(): ValidConfig | undefined {
    return this.#serving;
  }

  inspect(saved: SavedFiles | undefined, more: InspectOptions = {}): Promise<LoadedConfig> {
    const { request, loader } = this.#options;
    const texts = saved ?? this.#serving?.texts;
    // Text that is in no file is loaded as it is.
    const source = 'path' in request.source && texts !== undefined ? { saved: texts } : {};
    return loader.load({ ...request, ...source, ...more, start: { ...request.start, isRunning: true } }, firstLoadMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#watcher?.close();
    await this.#options.loader.close();
    await this.#last;
  }

  /** A load that has not begun yet serves everybody who asks meanwhile. */
  #enqueue(reason: Reason): Promise<ReloadResult> {
    this.#reasons.add(reason);
    if (this.#next !== undefined) return this.#next;
    const run = this.#last.then(async () => {
      const reasons = this.#reasons;
      this.#reasons = new Set();
      this.#next = undefined;
      if (reasons.has('call')) this.#held = undefined;
      const result = await this.#load(this.#options.request);
      this.#tell(result, reasons);
      return reasons.has('start') && result.kind === 'rejected' ? this.#loadInstead(result) : result;
    });
    this.#next = run;
    this.#last = run;
    return run;
  }

  /** Never rejects. */
  async #load(request: PostedRequest): Promise<ReloadResult> {
    const begun = this.#options.now();
    try {
      const isRunning = this.#serving !== undefined;
      const loaded = await this.#loadSettled(isRunning ? { ...request, start: { ...request.start, isRunning } } : request);
      this.#failures = 0;
      if (request === this.#options.request) {
        const { over } = this.#held ?? {};
        this.#texts = loaded.texts;
        // Not the files have changed but a secret that they name: it holds for what serves in their place, too.
        if (this.#held !== undefined && isDeepStrictEqual(over, loaded.texts))
          return await this.#load({ ...request, saved: this.#held.saved });
        this.#held = undefined;
      }
      await this.#follow(loaded, request);
      if (loaded.tree === undefined) return this.#rejected(loaded, undefined);
      if (loaded.revision === this.#serving?.revision) {
        // The same content may be elsewhere in the files: whoever asks for its place or text gets that of today.
        this.#serving = { ...loaded, tree: loaded.tree };
        return this.#unchanged(loaded.revision);
      }
      return await this.#apply({ ...loaded, tree: loaded.tree }, begun);
    } catch (error) {
      if (error instanceof LoaderFailure) this.#tryLater();
      return this.#rejected({ diagnostics: [], stateDir: undefined, secrets: [] }, error);
    }
  }

  /** A worker that failed says nothing about the files, and no event would come: the load is repeated until it has ended. */
  #tryLater(): void {
    this.#failures += 1;
    if (this.#closed || this.#serving === undefined) return;
    const pause = Math.min((this.#options.retryMs ?? defaultRetryMs) * 2 ** (this.#failures - 1), longestRetryMs);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#enqueue('change'), pause);
    this.#retry.unref();
  }

  /** What is wrong with the files stays the complaint: their repair is news, whatever serves meanwhile. */
  async #loadInstead(rejected: Rejected): Promise<ReloadResult> {
    const request = this.#options.instead?.(rejected);
    const result = request === undefined ? rejected : await this.#load(request);
    return result.kind === 'applied' ? result : rejected;
  }

  /** What was read while somebody wrote is read again; a writer that never pauses is taken as it is. */
  async #loadSettled(request: PostedRequest): Promise<LoadedConfig> {
    for (let tries = 1; ; tries += 1) {
      const loaded = await this.#loadTwice(request);
      if (tries === mostTries || request.saved !== undefined || (await areSettled(loaded.texts))) return loaded;
    }
  }

  /** At once a second time, with more time: a worker may have been killed for memory, and a machine may be busy. */
  async #loadTwice(request: PostedRequest): Promise<LoadedConfig> {
    const { loader } = this.#options;
    const limit = Math.min(firstLoadMs * 2 ** this.#failures, longestLoadMs);
    try {
      return await loader.load(request, limit);
    } catch {
      return await loader.load(request, Math.min(limit * 6, longestLoadMs));
    }
  }

  async #apply(loaded: ValidConfig, begun: number): Promise<ReloadResult> {
    const before = this.#serving;
    try {
      await this.#options.apply(loaded);
    } catch (error) {
      return this.#rejected(loaded, error);
    }
    this.#serving = loaded;
    this.#first ??= loaded;
    const { changes } = diffConfigs((before ?? loaded).tree, loaded.tree);
    const { restart } = diffConfigs(this.#first.tree, loaded.tree, this.#options.request.start?.overridden);
    return { kind: 'applied', loaded, revision: loaded.revision, ms: this.#options.now() - begun, changes, restart };
  }

  #unchanged(revision: string): ReloadResult {
    return { kind: 'unchanged', revision, recovered: this.#complaint !== undefined };
  }

  #rejected({ diagnostics, stateDir, secrets }: Pick<LoadedConfig, 'diagnostics' | 'stateDir' | 'secrets'>, thrown: unknown): ReloadResult {
    const cause = thrown === undefined || thrown instanceof Error ? thrown : new Error('the set-up failed', { cause: thrown });
    return { kind: 'rejected', revision: this.#serving?.revision, diagnostics, cause, stateDir, secrets };
  }

  /**
   * After a bad load the old files are still watched: it may not have come as far as naming them all. Where something
   * else serves instead, those that were found bad are.
   */
  async #follow(loaded: LoadedConfig, request: PostedRequest): Promise<void> {
    // A path that is watched from now on counts as changed: what is held would be given up at once.
    if (request.saved !== undefined && this.#watcher !== undefined) return;
    const { source, cwd } = this.#options.request;
    const entry = 'path' in source ? [resolve(cwd, source.path)] : [];
    const kept = loaded.tree === undefined || request !== this.#options.request ? this.#paths : [];
    this.#paths = [...new Set([...entry, ...loaded.files, ...loaded.watch, ...kept])];
    await this.#watcher?.setPaths(this.#paths);
  }

  #tell(result: ReloadResult, reasons: ReadonlySet<Reason>): void {
    const complaint = result.kind === 'rejected' ? complaintOf(result.diagnostics, result.cause) : undefined;
    const isNews = result.kind === 'unchanged' ? result.recovered : result.kind === 'applied' || complaint !== this.#complaint;
    this.#complaint = complaint;
    if (this.#closed || reasons.has('start')) return;
    if (isNews || reasons.has('call')) this.#options.onResult(result);
  }
}

function complaintOf(diagnostics: readonly Diagnostic[], cause: Error | undefined): string {
  return JSON.stringify([diagnostics, cause?.message]);
}
