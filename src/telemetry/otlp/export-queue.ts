import { withTimeout } from '../../core/async/with-timeout.ts';
import type { Collector, SendResult } from './sender.ts';

/** Result of items: accepted by the collector, rejected by it, failed, or never queued. */
export type ExportResult = 'exported' | 'rejected' | 'failed' | 'dropped';

export interface ExportQueueOptions {
  readonly collector: Collector;
  /** Builds the payload of one export. */
  payload(items: readonly string[]): string;
  send(collector: Collector, payload: string): Promise<SendResult>;
  onResult(items: number, result: ExportResult, why: string | undefined): void;
  /** Called before the first retry of a batch. */
  onRetry(why: string): void;
  readonly limits?: Partial<ExportQueueLimits> | undefined;
}

/** Times in milliseconds. */
export interface ExportQueueLimits {
  /** How long items wait for others. */
  readonly linger: number;
  readonly firstRetry: number;
  readonly longestRetry: number;
  /** How long the export of one batch is retried. If a collector asks for a longer pause, there is one more try after it. */
  readonly patience: number;
  /** Maximum number of queued characters. */
  readonly waiting: number;
}

const defaultLimits: ExportQueueLimits = { linger: 1000, firstRetry: 1000, longestRetry: 30_000, patience: 300_000, waiting: 16_000_000 };

/** Limits of one export. */
const limits = { items: 512, characters: 2_000_000 } as const;
/** Exports up to this number of characters are not split: their size cannot be the problem. */
const leastHalved = 64 * 1024;

/**
 * A bounded queue for a collector. Sends one batch at a time, and retries it until it is accepted or its time is over. A batch
 * that is too large is split in halves.
 */
export class ExportQueue {
  readonly #options: ExportQueueOptions;
  readonly #limits: ExportQueueLimits;
  #queue: string[] = [];
  #characters = 0;
  #isSending = false;
  /** Number of items in the current export without a result. */
  #sending = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Ends the pause between two tries. */
  #wake: (() => void) | undefined;
  #deadline = Number.POSITIVE_INFINITY;
  /** The collector accepts no export before this time, whatever the batch. */
  #notBefore = 0;
  #onEmpty: (() => void)[] = [];

  constructor(options: ExportQueueOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
  }

  /** Queues items, as JSON texts. Items that don't fit are dropped. */
  add(items: readonly string[]): void {
    let dropped = 0;
    for (const item of items) {
      if (this.#characters + item.length > this.#limits.waiting) {
        dropped += 1;
        continue;
      }
      this.#queue.push(item);
      this.#characters += item.length;
    }
    if (dropped > 0) this.#options.onResult(dropped, 'dropped', 'the queue is full');
    if (this.#isSending || this.#queue.length === 0) return;
    if (this.#queue.length >= limits.items || this.#characters >= limits.characters) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), this.#limits.linger);
  }

  /** Sends the queued items. Resolves when none are left, or after `withinMs`; the remaining items have then failed. */
  async flush(withinMs: number): Promise<void> {
    this.#deadline = performance.now() + withinMs;
    this.#start();
    this.#wake?.();
    if (!this.#isSending) return;
    await withTimeout(new Promise<void>((resolve) => this.#onEmpty.push(resolve)), withinMs, () => {});
    const left = this.#queue.splice(0).length + this.#sending;
    this.#characters = 0;
    this.#sending = 0;
    if (left > 0) this.#options.onResult(left, 'failed', 'no response before the exporter was closed');
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isSending || this.#queue.length === 0) return;
    this.#isSending = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const items = this.#batch();
      this.#sending = items.length;
      await this.#export(items);
    }
    this.#isSending = false;
    this.#deadline = Number.POSITIVE_INFINITY;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  #batch(): readonly string[] {
    let characters = 0;
    let count = 0;
    for (const item of this.#queue) {
      if (count > 0 && (count === limits.items || characters + item.length > limits.characters)) break;
      characters += item.length;
      count += 1;
    }
    this.#characters -= characters;
    return this.#queue.splice(0, count);
  }

  async #export(items: readonly string[]): Promise<void> {
    const { collector, payload, send } = this.#options;
    const text = payload(items);
    await this.#waitUntilAllowed();
    const end = performance.now() + this.#limits.patience;
    for (let pause = this.#limits.firstRetry; ; pause = Math.min(pause * 2, this.#limits.longestRetry)) {
      const sent = await send(collector, text);
      if (sent.kind === 'accepted') {
        const rejected = Math.min(sent.rejected, items.length);
        this.#report(rejected, 'rejected', sent.why);
        this.#report(items.length - rejected, 'exported', undefined);
        return;
      }
      if (sent.kind === 'refused') {
        if (sent.isTooLarge && items.length > 1 && text.length > leastHalved) await this.#exportHalves(items);
        else this.#report(items.length, 'rejected', sent.why);
        return;
      }
      const now = performance.now();
      const wait = this.#waitFor(sent, pause);
      if (sent.afterMs !== undefined) this.#notBefore = now + wait;
      // A requested pause is exempt from the time limit; the limit applies after it.
      const isOver = now + (sent.afterMs === undefined ? wait : 0) > end;
      if (isOver || now + wait > this.#deadline) {
        this.#report(items.length, 'failed', sent.why);
        return;
      }
      if (pause === this.#limits.firstRetry) this.#options.onRetry(sent.why);
      await this.#pause(wait);
    }
  }

  async #exportHalves(items: readonly string[]): Promise<void> {
    const half = Math.ceil(items.length / 2);
    await this.#export(items.slice(0, half));
    await this.#export(items.slice(half));
  }

  #waitFor({ afterMs }: SendResult & { readonly kind: 'retry' }, pause: number): number {
    // `retry-after: 0`, or a date in the past due to a slow clock, must not cause a retry without a pause.
    if (afterMs !== undefined) return Math.max(afterMs, this.#limits.firstRetry);
    // Random jitter, so that the gateways of a fleet don't all retry at the same time.
    return pause * (0.5 + Math.random() / 2);
  }

  /** Waits as long as the collector requested for an earlier batch, except during the final flush. */
  async #waitUntilAllowed(): Promise<void> {
    const left = this.#notBefore - performance.now();
    if (left > 0 && this.#deadline === Number.POSITIVE_INFINITY) await this.#pause(left);
  }

  /** Items that the final flush gave up have already been reported as failed. */
  #report(items: number, result: ExportResult, why: string | undefined): void {
    const count = Math.min(items, this.#sending);
    this.#sending -= count;
    if (count > 0) this.#options.onResult(count, result, why);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
