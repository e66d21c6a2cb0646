import { briefDiagnostic, isError } from '../../config/report/diagnostic.ts';
import type { ReloadResult } from '../../config/reload/reloader.ts';
import { createMask } from '../../core/secrets/mask.ts';

/** The `config` object in the response of `/readyz`. Times are ISO 8601. */
export type ConfigState =
  | { readonly state: 'ok'; readonly revision: string; readonly loaded_at: string }
  | {
      readonly state: 'failed';
      /** The active revision, and when it was loaded. */
      readonly revision: string;
      readonly loaded_at: string;
      /** Time of the first of the consecutive failed loads. */
      readonly failed_since: string;
      /** Number of errors in the files; 0 if the load failed for another reason. */
      readonly errors: number;
      /** The reason and the first errors, secrets masked. Omitted for callers that may not see file names. */
      readonly why?: readonly string[];
    };

type Failure = Extract<ReloadResult, { readonly kind: 'rejected' }>;

/** Number of errors shown, and characters of each: probes read this every few seconds. */
const limits = { shown: 5, length: 300 } as const;

/** Result of the last load of the configuration. A failure stays visible until the next successful load. */
export class ReloadState {
  readonly #now: () => number;
  #revision = '';
  #loadedAt = 0;
  #failure: { readonly since: number; readonly errors: number; readonly why: readonly string[] } | undefined;

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param secrets of the active configuration: messages about the rejected one may contain them */
  loadEnded(result: ReloadResult, secrets: readonly string[]): void {
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

  /** Called after the first load. `rejected` is set if a saved copy replaced rejected files. */
  firstLoadEnded(revision: string, rejected: Failure | undefined, secrets: readonly string[]): void {
    if (this.#revision !== '') return;
    this.#revision = revision;
    this.#loadedAt = this.#now();
    if (rejected !== undefined) this.loadEnded(rejected, secrets);
  }

  /** @param isDetailed true if the caller may see file names */
  current(isDetailed: boolean): ConfigState {
    const serving = { revision: this.#revision, loaded_at: isoTime(this.#loadedAt) };
    if (this.#failure === undefined) return { state: 'ok', ...serving };
    const { since, errors, why } = this.#failure;
    return { state: 'failed', ...serving, failed_since: isoTime(since), errors, ...(isDetailed ? { why } : {}) };
  }
}

function causesOf({ diagnostics, cause, secrets }: Failure, more: readonly string[]): { errors: number; why: readonly string[] } {
  const mask = createMask([...new Set([...secrets, ...more])]);
  const errors = diagnostics.filter(isError);
  const texts = [...(cause === undefined ? [] : [cause.message]), ...errors.slice(0, limits.shown).map(briefDiagnostic)];
  return { errors: errors.length, why: texts.map((text) => mask.text(text).slice(0, limits.length)) };
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
