import type { Collector, Sent } from './sender.ts';

/** What became of items: taken by the collector, rejected by it, given up, or never queued. */
export type Result = 'exported' | 'rejected' | 'failed' | 'dropped';

export interface PipeOptions {
  readonly collector: Collector;
  /** One export with these items. */
  payload(items: readonly string[]): string;
  send(collector: Collector, payload: string): Promise<Sent>;
  onResult(items: number, result: Result, why: string | undefined): void;
  readonly limits?: Partial<PipeLimits> | undefined;
}

/** Times in milliseconds. */
export interface PipeLimits {
  /** How long items wait for others. */
  readonly linger: number;
  readonly firstRetry: number;
  readonly longestRetry: number;
  /** How long the export of one batch is tried; where a collector asks for a longer pause, once more behind it. */
  readonly patience: number;
  /** Characters that may wait. */
  readonly waiting: number;
}

const usual: PipeLimits = { linger: 1000, firstRetry: 1000, longestRetry: 30_000, patience: 300_000, waiting: 16_000_000 };

/** Of one export. */
const most = { items: 512, characters: 2_000_000 } as const;
/** Characters of an export up to which it is not its size that a collector minds. */
const leastHalved = 64 * 1024;

/**
 * A bounded queue in front of a collector: sends batches, one at a time, and each again until it is taken or time is up. One
 * that is too large is sent in halves.
 */
export class Pipe {
  readonly #options: PipeOptions;
  readonly #limits: PipeLimits;
  #queue: string[] = [];
  #characters = 0;
  #isSending = false;
  /** Items of the export that is on its way, until what became of them is said. */
  #sending = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Ends a pause between two tries. */
  #wake: (() => void) | undefined;
  #deadline = Number.POSITIVE_INFINITY;
  /** Until when the collector wants no export, of whatever batch. */
  #notBefore = 0;
  #onEmpty: (() => void)[] = [];

  constructor(options: PipeOptions) {
    this.#options = options;
    this.#limits = { ...usual, ...options.limits };
  }

  /** JSON texts of items. What does not fit is dropped. */
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
    if (this.#queue.length >= most.items || this.#characters >= most.characters) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), this.#limits.linger);
  }

  /** Sends what waits now. Resolves when nothing does, at the latest after this time: the rest has failed then. */
  async flush(withinMs: number): Promise<void> {
    this.#deadline = performance.now() + withinMs;
    this.#start();
    this.#wake?.();
    if (!this.#isSending) return;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      new Promise<void>((resolve) => this.#onEmpty.push(resolve)),
      new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMs))),
    ]);
    clearTimeout(timer);
    const left = this.#queue.splice(0).length + this.#sending;
    this.#characters = 0;
    this.#sending = 0;
    if (left > 0) this.#options.onResult(left, 'failed', 'no response before the end');
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
      if (count > 0 && (count === most.items || characters + item.length > most.characters)) break;
      characters += item.length;
      count += 1;
    }
    this.#characters -= characters;
    return this.#queue.splice(0, count);
  }

  async #export(items: readonly string[]): Promise<void> {
    const { collector, payload, send } = this.#options;
    const text = payload(items);
    await this.#whenAsked();
    const end = performance.now() + this.#limits.patience;
    for (let pause = this.#limits.firstRetry; ; pause = Math.min(pause * 2, this.#limits.longestRetry)) {
      const sent = await send(collector, text);
      if (sent.kind === 'taken') {
        const rejected = Math.min(sent.rejected, items.length);
        this.#ended(rejected, 'rejected', sent.why);
        this.#ended(items.length - rejected, 'exported', undefined);
        return;
      }
      if (sent.kind === 'refused') {
        if (sent.isTooLarge && items.length > 1 && text.length > leastHalved) await this.#exportHalves(items);
        else this.#ended(items.length, 'rejected', sent.why);
        return;
      }
      const now = performance.now();
      const wait = this.#waitFor(sent, pause);
      if (sent.afterMs !== undefined) this.#notBefore = now + wait;
      // A pause that is asked for ends the patience only when it is over.
      const isOver = now + (sent.afterMs === undefined ? wait : 0) > end;
      if (isOver || now + wait > this.#deadline) {
        this.#ended(items.length, 'failed', sent.why);
        return;
      }
      await this.#pause(wait);
    }
  }

  async #exportHalves(items: readonly string[]): Promise<void> {
    const half = Math.ceil(items.length / 2);
    await this.#export(items.slice(0, half));
    await this.#export(items.slice(half));
  }

  #waitFor({ afterMs }: Sent & { readonly kind: 'later' }, pause: number): number {
    // `retry-after: 0`, or a date by a clock that is behind, is no leave to try without a pause.
    if (afterMs !== undefined) return Math.max(afterMs, this.#limits.firstRetry);
    // Spread: the gateways of a fleet must not come back in one moment.
    return pause * (0.5 + Math.random() / 2);
  }

  /** Waits as long as the collector has asked for beside another batch; not at the end. */
  async #whenAsked(): Promise<void> {
    const left = this.#notBefore - performance.now();
    if (left > 0 && this.#deadline === Number.POSITIVE_INFINITY) await this.#pause(left);
  }

  /** What was given up meanwhile has failed already. */
  #ended(items: number, result: Result, why: string | undefined): void {
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
