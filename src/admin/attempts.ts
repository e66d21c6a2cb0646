import { Histogram } from '../core/logs/histogram.ts';
import type { AttemptRecord, LogRecord } from '../core/records/record.ts';

/** Results of the attempts at one provider or target. Times in milliseconds. */
export interface AttemptFigures {
  readonly attempts: number;
  readonly failed: number;
  /** How often a plugin skipped it, so that no attempt was made. */
  readonly leftOut: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

export interface AttemptError {
  /** Unix milliseconds. */
  readonly at: number;
  readonly message: string;
  /** Request ID. */
  readonly id: string;
}

interface AttemptCounts {
  attempts: number;
  failed: number;
  leftOut: number;
  readonly times: Histogram;
}

interface MinuteSlot {
  readonly minute: number;
  readonly cells: Map<string, AttemptCounts>;
}

const slotMs = 60_000;
const slots = 60;
/** Maximum number of providers and targets per minute; further ones are not counted. */
const maxNames = 2000;

/**
 * Counts of one `Attempts` object, in the form that another one can add: minute, provider or target, counts, and times
 * as `Histogram` serializes them.
 */
export interface SerializedAttempts {
  readonly cells: readonly (readonly [
    minute: number,
    name: string,
    counts: readonly [attempts: number, failed: number, leftOut: number],
    times: string,
  ])[];
  readonly errors: readonly (readonly [slug: string, error: AttemptError])[];
}

/**
 * Attempts of the last hour by provider and by target, counted from finished requests. Attempts rather than responses
 * are counted, because a target that always fails gives no response but must be visible.
 */
export class Attempts {
  readonly #slots: MinuteSlot[] = [];
  readonly #errors = new Map<string, AttemptError>();

  add({ id, at, config, attempts, error }: Pick<LogRecord, 'id' | 'at' | 'config' | 'attempts' | 'error'>): void {
    if (attempts.length === 0) return;
    const cells = this.#cellsOf(Math.floor(at / slotMs));
    for (const attempt of attempts) {
      // Nothing was sent without a credential, but the operator must see that the provider cannot be used.
      const lacksCredential = error?.code === 'provider_auth_failed' && attempt === attempts.at(-1);
      if (isUnsent(attempt) && !lacksCredential) continue;
      const isFailure = lacksCredential || hasFailed(attempt);
      count(cells, attempt.provider, attempt, isFailure);
      if (config !== null) count(cells, `configs.${config}${attempt.target.slice('config'.length)}`, attempt, isFailure);
      if (isFailure) this.#setLastError(attempt.provider, { at: at + attempt.at, message: attempt.reason ?? attempt.outcome, id });
    }
  }

  /** Returns all counts and resets them. */
  drain(): SerializedAttempts {
    const cells = this.#slots.flatMap(({ minute, cells: of }) =>
      [...of].map(([name, { attempts, failed, leftOut, times }]) => [minute, name, [attempts, failed, leftOut], times.toString()] as const),
    );
    const errors = [...this.#errors];
    this.#slots.length = 0;
    this.#errors.clear();
    return { cells, errors };
  }

  /** Adds the counts of another `Attempts` object. */
  addAll({ cells, errors }: SerializedAttempts): void {
    for (const [minute, name, [attempts, failed, leftOut], times] of cells) {
      const cell = cellIn(this.#reportedCellsOf(minute), name);
      if (cell === undefined) continue;
      cell.attempts += attempts;
      cell.failed += failed;
      cell.leftOut += leftOut;
      cell.times.addText(times);
    }
    for (const [slug, error] of errors) this.#setLastError(slug, error);
  }

  /**
   * Figures of one provider or target.
   *
   * @param name a slug, or the path of a target such as `configs.support.targets[1]`
   * @param now Unix milliseconds
   * @param minutes at most 60
   */
  figures(name: string, now: number, minutes: number): AttemptFigures {
    return this.figuresOf([name], now, minutes);
  }

  /** Combined figures of several. */
  figuresOf(names: readonly string[], now: number, minutes: number): AttemptFigures {
    const times = new Histogram();
    let attempts = 0;
    let failed = 0;
    let leftOut = 0;
    const oldest = Math.floor(now / slotMs) - minutes;
    const cellsOf = ({ minute, cells }: MinuteSlot): AttemptCounts[] =>
      minute > oldest ? names.flatMap((name) => cells.get(name) ?? []) : [];
    for (const cell of this.#slots.flatMap(cellsOf)) {
      attempts += cell.attempts;
      failed += cell.failed;
      leftOut += cell.leftOut;
      times.addAll(cell.times);
    }
    return { attempts, failed, leftOut, p50: times.quantile(0.5), p95: times.quantile(0.95), p99: times.quantile(0.99) };
  }

  lastError(slug: string): AttemptError | null {
    return this.#errors.get(slug) ?? null;
  }

  /** If the system clock was set back, the attempt counts in the newest minute. */
  #cellsOf(minute: number): Map<string, AttemptCounts> {
    const newest = this.#slots.at(-1);
    if (newest !== undefined && minute <= newest.minute) return newest.cells;
    const cells = new Map<string, AttemptCounts>();
    this.#slots.push({ minute, cells });
    while ((this.#slots[0]?.minute ?? minute) <= minute - slots) this.#slots.shift();
    return cells;
  }

  /** Reports of other processes arrive late: their attempts count in their own minute, even if a newer one has begun. */
  #reportedCellsOf(minute: number): Map<string, AttemptCounts> {
    const newest = this.#slots.at(-1)?.minute ?? minute;
    if (minute >= newest || minute <= newest - slots) return this.#cellsOf(minute);
    const at = this.#slots.findIndex((slot) => slot.minute >= minute);
    const found = this.#slots[at];
    if (found?.minute === minute) return found.cells;
    const cells = new Map<string, AttemptCounts>();
    this.#slots.splice(at, 0, { minute, cells });
    return cells;
  }

  #setLastError(slug: string, error: AttemptError): void {
    if (this.#errors.size >= maxNames && !this.#errors.has(slug)) return;
    this.#errors.set(slug, error);
  }
}

function count(cells: Map<string, AttemptCounts>, key: string, { outcome, total_ms: ms }: AttemptRecord, isFailure: boolean): void {
  const cell = cellIn(cells, key);
  if (cell === undefined) return;
  if (outcome === 'skipped') {
    cell.leftOut += 1;
    return;
  }
  cell.attempts += 1;
  if (isFailure) cell.failed += 1;
  cell.times.add(ms);
}

/** Returns undefined if there are too many cells. */
function cellIn(cells: Map<string, AttemptCounts>, key: string): AttemptCounts | undefined {
  const known = cells.get(key);
  if (known !== undefined || cells.size >= maxNames) return known;
  const made = { attempts: 0, failed: 0, leftOut: 0, times: new Histogram() };
  cells.set(key, made);
  return made;
}

/** True if the gateway rejected the attempt before it was sent: the request or its key is the cause, not the provider. */
const isUnsent = ({ outcome, first_byte_ms: firstByte }: AttemptRecord): boolean => outcome === 'refused' && firstByte === null;

/** True for provider faults, rate limits and rejected credentials. False for other client errors and for cancelled requests. */
function hasFailed({ outcome, status }: AttemptRecord): boolean {
  if (outcome === 'cancelled' || outcome === 'skipped' || outcome === 'refused') return false;
  if (outcome !== 'answered' || status === null) return true;
  return status >= 500 || status === 401 || status === 403 || status === 408 || status === 429;
}
