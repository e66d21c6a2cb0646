import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { PostedRequest } from '../../config/reload/loader.ts';
import type { Rejected } from '../../config/reload/reloader.ts';
import type { GatewayEvent, GatewayOptions } from '../types.ts';
import { readLastGood, saveLastGood } from '../../store/last-good.ts';
import { stateDirPath } from '../../store/state-dir.ts';
import type { ValidConfig } from '../../config/reload/load.ts';

/** Copy of the last configuration that loaded without errors. Saved after each good load, and used by `--last-good`. */
export class LastGoodCopy {
  readonly #options: GatewayOptions;
  /** Set if the copy is used: why the files were rejected, and when the copy was saved. */
  #taken: { readonly rejected: Rejected; readonly savedAt: number } | undefined;
  #isChecked = false;
  /** The stored copy, if this process knows it. */
  #kept: Pick<ValidConfig, 'texts' | 'revision'> | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** Returns the copy to load in place of files that were rejected at the start. */
  instead(request: PostedRequest, rejected: Rejected): PostedRequest | undefined {
    const entry = this.#entry;
    if (this.#options.lastGood !== true || entry === undefined) return undefined;
    this.#isChecked = true;
    // If a file can't be read, its `state_dir` is unknown: the default directory is searched too.
    for (const setting of [this.#options.stateDir ?? rejected.stateDir, undefined]) {
      const dir = this.#dir(setting);
      const found = dir === undefined ? undefined : readLastGood(dir, entry);
      if (found === undefined) continue;
      this.#taken = { rejected, savedAt: found.savedAt };
      this.#kept = { texts: found.copy.files, revision: found.copy.revision };
      return { ...request, saved: found.copy.files };
    }
    return undefined;
  }

  /** Event that reports the use of the copy. Sent once, after the start. */
  event(revision: string): GatewayEvent | undefined {
    if (this.#taken === undefined) return undefined;
    const { rejected, savedAt } = this.#taken;
    const { diagnostics, cause } = rejected;
    return { type: 'last-good', revision, savedAt, diagnostics, ...(cause === undefined ? {} : { reason: cause.message }) };
  }

  /** Why the files were rejected that the copy replaces. */
  get rejected(): Rejected | undefined {
    return this.#taken?.rejected;
  }

  /** Why the start failed in spite of `--last-good`. */
  get fault(): string | undefined {
    if (!this.#isChecked) return undefined;
    return this.#taken === undefined ? '--last-good: there is no saved copy.' : '--last-good: the saved copy is not valid either.';
  }

  /** Saves the active configuration. A failed write is only a warning. */
  async keep({ texts, revision }: ValidConfig, dir: string): Promise<void> {
    const entry = this.#entry;
    if (entry === undefined || isDeepStrictEqual(this.#kept, { texts, revision })) return;
    try {
      await saveLastGood(dir, { entry, files: texts, revision });
      this.#kept = { texts, revision };
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
