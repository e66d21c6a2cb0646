import { briefDiagnostic } from '../../config/report/diagnostic.ts';
import type { ReloadResult } from '../../config/reload/reloader.ts';
import { createMask } from '../../core/secrets/mask.ts';

/** What `/readyz` shows of the configuration under `config`. Times are ISO 8601. */
export type ConfigState =
  | { readonly state: 'ok'; readonly revision: string; readonly loaded_at: string }
  | {
      readonly state: 'failed';
      /** The revision that keeps serving, and when it was loaded. */
      readonly revision: string;
      readonly loaded_at: string;
      /** When the first load in a row failed. */
      readonly failed_since: string;
      /** How many errors the files have; 0 where a load failed for another reason. */
      readonly errors: number;
      /** The reason and the first errors, secrets masked. Left out for callers who may not see names of files. */
      readonly why?: readonly string[];
    };

type Failure = Extract<ReloadResult, { readonly kind: 'rejected' }>;

/** Errors that are shown, and characters of each: a probe reads this every few seconds. */
const most = { shown: 5, length: 300 } as const;

/** How the last load of the configuration ended: a failed one stays visible until a good one. */
export class ReloadState {
  readonly #now: () => number;
  #revision = '';
  #loadedAt = 0;
  #failure: { readonly since: number; readonly errors: number; readonly why: readonly string[] } | undefined;

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param secrets of what serves: a text of what was rejected may show an old one */
  took(result: ReloadResult, secrets: readonly string[]): void {
    if (result.kind === 'rejected') {
      this.#failure = { since: this.#failure?.since ?? this.#now(), ...causesOf(result, secrets) };
      return;
    }
    this.#failure = undefined;
    if (result.kind === 'applied') {
      this.#revision = result.revision;
      this.#loadedAt = this.#now();
    }
  }

  /** The first load: a copy serves where the files were rejected. */
  started(revision: string, rejected: Failure | undefined, secrets: readonly string[]): void {
    if (this.#revision !== '') return;
    this.#revision = revision;
    this.#loadedAt = this.#now();
    if (rejected !== undefined) this.took(rejected, secrets);
  }

  /** @param isDetailed whoever asks may see names of files */
  current(isDetailed: boolean): ConfigState {
    const serving = { revision: this.#revision, loaded_at: isoTime(this.#loadedAt) };
    if (this.#failure === undefined) return { state: 'ok', ...serving };
    const { since, errors, why } = this.#failure;
    return { state: 'failed', ...serving, failed_since: isoTime(since), errors, ...(isDetailed ? { why } : {}) };
  }
}

function causesOf({ diagnostics, cause, secrets }: Failure, more: readonly string[]): { errors: number; why: readonly string[] } {
  const mask = createMask([...new Set([...secrets, ...more])]);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const texts = [...(cause === undefined ? [] : [cause.message]), ...errors.slice(0, most.shown).map(briefDiagnostic)];
  return { errors: errors.length, why: texts.map((text) => mask.text(text).slice(0, most.length)) };
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
