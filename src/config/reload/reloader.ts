import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { runInSlices } from '../../core/async/steps.ts';
import { changedKeys, changeSteps, restartKeys } from '../report/diff.ts';
import type { Diagnostic } from '../report/diagnostic.ts';
import type { LoadedConfig, ValidConfig } from './load.ts';
import { type Loader, LoaderFailure, type PostedRequest } from './loader.ts';
import { areUnchanged, type SavedFiles } from '../read/files.ts';
import type { Source } from '../read/merge-files.ts';
import type { WrittenLocations } from '../report/origins.ts';
import { type ConfigWatcher, createWatcher } from './watch.ts';

/** Result of a load. */
export type ReloadResult =
  | {
      readonly kind: 'applied';
      readonly loaded: ValidConfig;
      readonly revision: string;
      readonly ms: number;
      /** Warnings that the previous configuration did not have. */
      readonly warnings: readonly Diagnostic[];
      /** Changed entries, for example `~configs.support`. Names only, never values. */
      readonly changes: readonly string[];
      /** Keys whose new value needs a restart, for example `server.listen`. */
      readonly restart: readonly string[];
    }
  /** The content equals the running configuration. `recovered`: the previous load was rejected. */
  | { readonly kind: 'unchanged'; readonly revision: string; readonly recovered: boolean }
  | {
      readonly kind: 'rejected';
      /** Revision that stays in use; undefined before the first successful load. */
      readonly revision: string | undefined;
      readonly diagnostics: readonly Diagnostic[];
      /** Why it was rejected although the files are valid: a plugin failed to set up, or the loader died. */
      readonly cause: Error | undefined;
      /** `server.state_dir` of the rejected configuration, where it can be read. */
      readonly stateDir: string | undefined;
      /** Secrets of the rejected configuration, which no message about it may contain. */
      readonly secrets: readonly string[];
    };

export type RejectedReload = ReloadResult & { readonly kind: 'rejected' };

export interface ReloaderOptions {
  readonly request: PostedRequest;
  readonly loader: Loader;
  /** Watch the files after the first successful load. */
  readonly watch: boolean;
  /** Poll interval in milliseconds; polling needs no file system events. */
  readonly pollMs?: number;
  /** Compiles, sets plugins up and swaps. If it rejects, the previous configuration must still be in use. */
  apply(loaded: ValidConfig): Promise<void>;
  /**
   * Called with results before `reloadNow` resolves, but not with those of `start` and `useOverride`. After a file change, only
   * news is reported: a new configuration, a new error, or the first valid load after an error.
   */
  onResult(result: ReloadResult): void;
  /** Request to load if the first load is rejected; undefined for none. The files of the original `request` are watched. */
  fallbackRequest?(rejected: RejectedReload): PostedRequest | undefined;
  /** Called when the system refuses to watch files. Polling continues. */
  onFault?(error: unknown): void;
  /** Delay in milliseconds before a load is retried whose worker died or timed out. Doubles with each failure. */
  readonly retryMs?: number;
  /** Monotonic milliseconds. */
  now(): number;
}

/** Keeps a configuration up to date with its files. */
export interface Reloader {
  /** Makes the first load, or that of `fallbackRequest` if only that one can be applied. Never rejects. */
  start(): Promise<ReloadResult>;
  /** Loads now, even if no file changed, and resolves with the result. Never rejects. */
  reloadNow(): Promise<ReloadResult>;
  /**
   * Loads these texts instead of the files and keeps them until the files change or `reloadNow` is called. Secrets
   * rotated in the meantime are applied. Never rejects.
   */
  useOverride(saved: SavedFiles): Promise<ReloadResult>;
  /**
   * Loads these texts without applying them. Rejects with a LoaderFailure.
   *
   * @param source replaces the main file
   */
  inspect(saved: SavedFiles, source?: Source): Promise<LoadedConfig>;
  /** Finds the location of each value of a configuration that was loaded. Rejects with a LoaderFailure. */
  locate(loaded: LoadedConfig): Promise<WrittenLocations>;
  /** True if a replacement is in use instead of the files (`useOverride`). */
  readonly isOverridden: boolean;
  /** Configuration in use, as last loaded. The object is also replaced when only warnings or positions in the files change. */
  readonly serving: ValidConfig | undefined;
  close(): Promise<void>;
}

/** Most loads in a row while the files keep changing. */
const maxTries = 5;

/** Reason for a load. */
type Reason = 'start' | 'change' | 'call';

const defaultRetryMs = 1000;
/** Longest delay before a load is retried, in milliseconds. */
const maxRetryMs = 60_000;
/** Longest time limit of a load after earlier attempts timed out, in milliseconds. */
const maxLoadMs = 600_000;
const firstLoadMs = 10_000;
/** Time limit to locate values, in milliseconds. A large configuration on a busy machine takes long. */
const locateLimitMs = 60_000;

/** Creates a reloader. `start` makes the first load. */
export function createReloader(options: ReloaderOptions): Reloader {
  return new SerialReloader(options);
}

/** Runs one load at a time. All changes during a load lead to one more load. */
class SerialReloader implements Reloader {
  readonly #options: ReloaderOptions;
  #serving: ValidConfig | undefined;
  /** Configuration at process start. Settings that need a restart keep its values. */
  #first: ValidConfig | undefined;
  #watcher: ConfigWatcher | undefined;
  #paths: readonly string[] = [];
  /** Queued load that has not started. */
  #queued: Promise<ReloadResult> | undefined;
  #reasons = new Set<Reason>();
  #last: Promise<unknown> = Promise.resolve();
  /** Problems last reported for a rejected load, to report them once; undefined after a successful load. */
  #lastProblems: string | undefined;
  #closed = false;
  /** Number of consecutive loads whose worker died or timed out. */
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  /** Texts of the files as last read. */
  #texts: SavedFiles | undefined;
  /** Texts in use instead of the files, and the file texts at that time. */
  #override: { readonly saved: SavedFiles; readonly fileTexts: SavedFiles | undefined } | undefined;

  constructor(options: ReloaderOptions) {
    this.#options = options;
  }

  async start(): Promise<ReloadResult> {
    const result = await this.#enqueue('start');
    if (result.kind !== 'rejected' && this.#options.watch && !this.#closed) {
      const { pollMs } = this.#options;
      this.#watcher = createWatcher({
        onFirstEvent: () => this.#options.loader.prepare(),
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

  useOverride(saved: SavedFiles): Promise<ReloadResult> {
    const run = this.#last.then(async () => {
      const result = await this.#load({ ...this.#options.request, saved });
      if (result.kind !== 'rejected') this.#override = { saved, fileTexts: this.#texts };
      return result;
    });
    this.#last = run;
    return run;
  }

  get isOverridden(): boolean {
    return this.#override !== undefined;
  }

  get serving(): ValidConfig | undefined {
    return this.#serving;
  }

  inspect(saved: SavedFiles, source?: Source): Promise<LoadedConfig> {
    const { request, loader } = this.#options;
    // Text that is not in a file is loaded as it is.
    const texts = 'path' in request.source ? { saved } : {};
    return loader.load(
      { ...request, ...texts, source: source ?? request.source, start: { ...request.start, isRunning: true } },
      firstLoadMs,
    );
  }

  locate({ texts, secrets }: LoadedConfig): Promise<WrittenLocations> {
    const { request, loader } = this.#options;
    return loader.locate({ source: request.source, cwd: request.cwd, env: request.env, texts, secrets }, locateLimitMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#watcher?.close();
    await this.#options.loader.close();
    await this.#last;
  }

  /** Queues a load. Requests made before it starts share its result. */
  #enqueue(reason: Reason): Promise<ReloadResult> {
    this.#reasons.add(reason);
    if (this.#queued !== undefined) return this.#queued;
    const run = this.#last.then(async () => {
      const reasons = this.#reasons;
      this.#reasons = new Set();
      this.#queued = undefined;
      if (reasons.has('call')) this.#override = undefined;
      const result = await this.#load(this.#options.request);
      this.#report(result, reasons);
      return reasons.has('start') && result.kind === 'rejected' ? this.#loadFallback(result) : result;
    });
    this.#queued = run;
    this.#last = run;
    return run;
  }

  /** Runs one load. Never rejects. */
  async #load(request: PostedRequest): Promise<ReloadResult> {
    const startedAt = this.#options.now();
    try {
      const isRunning = this.#serving !== undefined;
      const loaded = await this.#loadStable(isRunning ? { ...request, start: { ...request.start, isRunning } } : request);
      this.#failures = 0;
      if (request === this.#options.request) {
        const { fileTexts } = this.#override ?? {};
        this.#texts = loaded.texts;
        // Only a secret changed, not the files: it also applies to the texts held in their place.
        if (this.#override !== undefined && isDeepStrictEqual(fileTexts, loaded.texts))
          return await this.#load({ ...request, saved: this.#override.saved });
        this.#override = undefined;
      }
      await this.#updateWatchedPaths(loaded, request);
      if (loaded.tree === undefined) return this.#rejected(loaded, undefined);
      if (loaded.revision === this.#serving?.revision && hasSameOrder(loaded, this.#serving)) {
        // The content may have moved within the files: callers get current positions and texts.
        this.#serving = { ...loaded, tree: loaded.tree };
        return this.#unchanged(loaded.revision);
      }
      return await this.#apply({ ...loaded, tree: loaded.tree }, startedAt);
    } catch (error) {
      if (error instanceof LoaderFailure) this.#scheduleRetry();
      return this.#rejected({ diagnostics: [], stateDir: undefined, secrets: [] }, error);
    }
  }

  /** A worker failure does not mean that the files are bad, and no file event will follow: the load is retried until it completes. */
  #scheduleRetry(): void {
    this.#failures += 1;
    if (this.#closed || this.#serving === undefined) return;
    const pause = Math.min((this.#options.retryMs ?? defaultRetryMs) * 2 ** (this.#failures - 1), maxRetryMs);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#enqueue('change'), pause);
    this.#retry.unref();
  }

  /** Loads the replacement. The problems of the files are kept, so that their repair is reported. */
  async #loadFallback(rejected: RejectedReload): Promise<ReloadResult> {
    const request = this.#options.fallbackRequest?.(rejected);
    const result = request === undefined ? rejected : await this.#load(request);
    return result.kind === 'applied' ? result : rejected;
  }

  /** Repeats a load if files were written in the meantime. After the last try the result is used as it is. */
  async #loadStable(request: PostedRequest): Promise<LoadedConfig> {
    for (let tries = 1; ; tries += 1) {
      const loaded = await this.#loadWithRetry(request);
      if (tries === maxTries || request.saved !== undefined || (await areUnchanged(loaded.texts))) return loaded;
    }
  }

  /** Retries a failed load at once with a longer limit: the worker may have been killed for memory, or the machine may be busy. */
  async #loadWithRetry(request: PostedRequest): Promise<LoadedConfig> {
    const { loader } = this.#options;
    const limit = Math.min(firstLoadMs * 2 ** this.#failures, maxLoadMs);
    try {
      return await loader.load(request, limit);
    } catch {
      return await loader.load(request, Math.min(limit * 6, maxLoadMs));
    }
  }

  async #apply(loaded: ValidConfig, startedAt: number): Promise<ReloadResult> {
    const before = this.#serving;
    try {
      await this.#options.apply(loaded);
    } catch (error) {
      return this.#rejected(loaded, error);
    }
    this.#serving = loaded;
    this.#first ??= loaded;
    const { now, request } = this.#options;
    const restart = restartKeys(this.#first.tree, loaded.tree, request.start?.overridden);
    const ms = now() - startedAt;
    const changes = changedKeys(await runInSlices(changeSteps((before ?? loaded).tree, loaded.tree), now));
    return { kind: 'applied', loaded, revision: loaded.revision, ms, changes, restart, warnings: newWarnings(loaded, before) };
  }

  #unchanged(revision: string): ReloadResult {
    return { kind: 'unchanged', revision, recovered: this.#lastProblems !== undefined && !this.isOverridden };
  }

  #rejected({ diagnostics, stateDir, secrets }: Pick<LoadedConfig, 'diagnostics' | 'stateDir' | 'secrets'>, thrown: unknown): ReloadResult {
    const cause = thrown === undefined || thrown instanceof Error ? thrown : new Error('the set-up failed', { cause: thrown });
    return { kind: 'rejected', revision: this.#serving?.revision, diagnostics, cause, stateDir, secrets };
  }

  /**
   * Sets the paths to watch. After a rejected load the old files stay watched, since the load may not have found all
   * files. If a replacement is in use, the rejected files are watched.
   */
  async #updateWatchedPaths(loaded: LoadedConfig, request: PostedRequest): Promise<void> {
    // A newly watched path counts as changed, which would discard the held texts at once.
    if (request.saved !== undefined && this.#watcher !== undefined) return;
    const { source, cwd } = this.#options.request;
    const entry = 'path' in source ? [resolve(cwd, source.path)] : [];
    const previousPaths = loaded.tree === undefined || request !== this.#options.request ? this.#paths : [];
    this.#paths = [...new Set([...entry, ...loaded.files, ...loaded.watch, ...previousPaths])];
    await this.#watcher?.setPaths(this.#paths);
  }

  #report(result: ReloadResult, reasons: ReadonlySet<Reason>): void {
    // While an override is in use, errors of the files stay recorded until the files are valid.
    const previousProblems = this.isOverridden ? this.#lastProblems : undefined;
    const problems = result.kind === 'rejected' ? problemsOf(result.diagnostics, result.cause) : previousProblems;
    const isNews = result.kind === 'unchanged' ? result.recovered : result.kind === 'applied' || problems !== this.#lastProblems;
    this.#lastProblems = problems;
    if (this.#closed || reasons.has('start')) return;
    if (isNews || reasons.has('call')) this.#options.onResult(result);
  }
}

/**
 * The order matters for prices (the first match applies) and for parameters (sent in order), but not for the revision.
 */
const hasSameOrder = ({ tree }: LoadedConfig, { tree: other }: LoadedConfig): boolean => JSON.stringify(tree) === JSON.stringify(other);

function problemsOf(diagnostics: readonly Diagnostic[], cause: Error | undefined): string {
  return JSON.stringify([diagnostics, cause?.message]);
}

/** The warnings of a configuration, without those that another one has too, at any position. */
function newWarnings({ diagnostics }: LoadedConfig, before: LoadedConfig | undefined): readonly Diagnostic[] {
  const known = new Set(before?.diagnostics.map(({ message }) => message));
  return diagnostics.filter(({ severity, message }) => severity === 'warning' && !known.has(message));
}
