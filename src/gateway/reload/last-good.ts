import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { PostedRequest } from '../../config/reload/loader.ts';
import type { RejectedReload } from '../../config/reload/reloader.ts';
import type { GatewayEvent, GatewayOptions } from '../types.ts';
import { readLastGood, saveLastGood } from '../../store/last-good.ts';
import { stateDirPath } from '../../store/state-dir.ts';
import type { ValidConfig } from '../../config/reload/load.ts';

/** Copy of the last configuration that loaded without errors. Saved after each good load, and used by `--last-good`. */
export class LastGoodCopy {
  readonly #options: GatewayOptions;
  /** Set if the copy is used: why the files were rejected, and when the copy was saved. */
  #usedCopy: { readonly rejected: RejectedReload; readonly savedAt: number } | undefined;
  #isChecked = false;
  /** The stored copy, if this process knows it. */
  #storedCopy: Pick<ValidConfig, 'texts' | 'revision'> | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** Returns the copy to load in place of files that were rejected at the start. */
  replacementFor(request: PostedRequest, rejected: RejectedReload): PostedRequest | undefined {
    const entry = this.#entry;
    if (this.#options.lastGood !== true || entry === undefined) return undefined;
    this.#isChecked = true;
    // If a file can't be read, its `state_dir` is unknown: the default directory is searched too.
    for (const setting of [this.#options.stateDir ?? rejected.stateDir, undefined]) {
      const dir = this.#dir(setting);
      const found = dir === undefined ? undefined : readLastGood(dir, entry);
      if (found === undefined) continue;
      this.#usedCopy = { rejected, savedAt: found.savedAt };
      this.#storedCopy = { texts: found.copy.files, revision: found.copy.revision };
      return { ...request, saved: found.copy.files };
    }
    return undefined;
  }

  /** Event that reports the use of the copy. Sent once, after the start. */
  usedEvent(revision: string): GatewayEvent | undefined {
    if (this.#usedCopy === undefined) return undefined;
    const { rejected, savedAt } = this.#usedCopy;
    const { diagnostics, cause } = rejected;
    return { type: 'last-good', revision, savedAt, diagnostics, ...(cause === undefined ? {} : { reason: cause.message }) };
  }

  /** Why the files were rejected that the copy replaces. */
  get rejected(): RejectedReload | undefined {
    return this.#usedCopy?.rejected;
  }

  /** Why the start failed in spite of `--last-good`. */
  get fault(): string | undefined {
    if (!this.#isChecked) return undefined;
    return this.#usedCopy === undefined ? '--last-good: there is no saved copy.' : '--last-good: the saved copy is not valid either.';
  }

  /** Saves the active configuration. A failed write is only a warning. */
  async keep({ texts, revision }: ValidConfig, dir: string): Promise<void> {
    const entry = this.#entry;
    if (entry === undefined || isDeepStrictEqual(this.#storedCopy, { texts, revision })) return;
    try {
      await saveLastGood(dir, { entry, files: texts, revision });
      this.#storedCopy = { texts, revision };
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the last valid configuration could not be saved');
    }
  }

  get #entry(): string | undefined {
    const { source, cwd } = this.#options;
    return 'path' in source ? resolve(cwd, source.path) : undefined;
  }

  #dir(setting: string | undefined): string | undefined {
    return stateDirPath({ setting, configPath: this.#entry, cwd: this.#options.cwd });
  }
}
