import { timeoutAfterReads } from '../../core/async/timeout-after-reads.ts';
import type { MaskingJob, UnmaskedBody } from '../../core/redaction/bodies.ts';
import { sizeOfPieces } from '../../core/memory/byte-pieces.ts';
import type { BodyRedactor } from '../../core/redaction/index.ts';
import type { Masking } from '../../pipeline/record/group-commit.ts';
import { RpcClient } from '../../store/log/rpc/client.ts';
import { startThread } from '../../store/log/rpc/thread.ts';
import { type PostedBody, type PostedJob, type PostedMasked, type PostedRules, fromPosted } from './messages.ts';

export interface MaskingOptions {
  /** Called when the thread died, or was ended because a job took too long. */
  onFault(error: Error): void;
  /** Schedules the next slice of a copy in a new turn of the event loop. */
  readonly nextTurn?: (work: () => void) => void;
  /** Maximum size of all waiting jobs, in bytes. */
  readonly maxBytes?: number;
  /** Milliseconds after the end of a request within which its bodies must be masked. Otherwise they are not kept. */
  readonly limitMs?: number | undefined;
}

const defaultMaxBytes = 64 * 1024 * 1024;
const limitMs = 5000;
/** Bytes copied per turn of the event loop. */
const slice = 512 * 1024;
/** The thread ends after half an hour without work. Starting it takes a tenth of a second, during which a response would wait. */
const idleMs = 1_800_000;
const heapMb = 384;

interface QueuedJob {
  readonly job: MaskingJob;
  /** Deadline, in monotonic milliseconds. */
  readonly end: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * Masks large bodies in a thread, one record at a time. The event loop only copies their bytes, in slices. If a job
 * misses its deadline, exceeds the queue's capacity, or the thread dies on it, the bodies are dropped and the record
 * says so.
 */
export class ThreadMasking implements Masking {
  /** Number of records whose bodies were not kept. */
  dropped = 0;
  readonly #options: MaskingOptions;
  readonly #thread: RpcClient;
  readonly #queue = new Set<QueuedJob>();
  #bytes = 0;
  #isBusy = false;
  #known: { readonly worker: object; readonly redactor: BodyRedactor } | undefined;

  constructor(options: MaskingOptions) {
    this.#options = options;
    this.#thread = new RpcClient({
      start: (events) => startThread({ entry: new URL('./masking-worker.js', import.meta.url), data: undefined, heapMb }, events),
      maxPending: 1,
      limitMs: options.limitMs ?? limitMs,
      idleMs,
      timeoutError: () => new Error('its deadline was over'),
      onPeerFailure: options.onFault,
    });
  }

  add(job: MaskingJob): void {
    if (this.#bytes + job.size > (this.#options.maxBytes ?? defaultMaxBytes)) {
      this.dropped += 1;
      job.done(undefined, {});
      return;
    }
    this.#bytes += job.size;
    const within = this.#options.limitMs ?? limitMs;
    const timer = timeoutAfterReads(() => this.#finish(waiting), within);
    const waiting: QueuedJob = { job, end: performance.now() + within, timer };
    this.#queue.add(waiting);
    if (!this.#isBusy) void this.#work();
  }

  flush(): void {
    for (const waiting of this.#queue) this.#finish(waiting);
  }

  async close(): Promise<void> {
    this.flush();
    await this.#thread.close();
  }

  /** Completes a job, once. @param masked absent if the bodies were not masked */
  #finish(waiting: QueuedJob, masked?: PostedMasked): void {
    if (!this.#queue.delete(waiting)) return;
    const { job, timer } = waiting;
    clearTimeout(timer);
    this.#bytes -= job.size;
    if (masked === undefined) {
      this.dropped += 1;
      job.done(undefined, {});
    } else job.done(fromPosted(masked), masked[0].counts);
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (const waiting of this.#queue) {
      try {
        this.#finish(waiting, await this.#masked(waiting));
      } catch {
        // Timeout, or the thread died; both are reported by `onFault`.
        this.#known = undefined;
        this.#finish(waiting);
      }
    }
    this.#isBusy = false;
  }

  async #masked(waiting: QueuedJob): Promise<PostedMasked | undefined> {
    const { redactor, limit, bodies } = waiting.job;
    const copies: PostedBody[] = [];
    for (const body of bodies) copies.push(await this.#copy(body));
    if (!this.#queue.has(waiting)) return undefined;
    const transfer = copies.map(({ bytes }) => bytes.buffer as ArrayBuffer);
    const limitMs = Math.max(1, waiting.end - performance.now());
    const argument: PostedJob = { rules: this.#newRules(redactor), limit, bodies: copies };
    return (await this.#thread.call('mask', argument, { limitMs, transfer })) as PostedMasked;
  }

  async #copy(body: UnmaskedBody): Promise<PostedBody> {
    if (body.kind !== 'response') {
      const { kind, text } = body;
      const bytes = Buffer.allocUnsafeSlow(text.length);
      for (let at = 0; at < text.length; at += slice) {
        if (at > 0) await this.#nextTurn();
        bytes.write(text.slice(at, at + slice), at, 'latin1');
      }
      return { kind, bytes };
    }
    const { pieces, size, contentType, isBroken } = body.body;
    const bytes = Buffer.allocUnsafeSlow(sizeOfPieces(pieces));
    let to = 0;
    let copied = 0;
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; at += slice) {
        if (copied >= slice) {
          await this.#nextTurn();
          copied = 0;
        }
        copied += piece.copy(bytes, to + at, at, at + slice);
      }
      to += piece.length;
    }
    return { kind: 'response', bytes, size, contentType, isBroken, times: body.times };
  }

  #nextTurn(): Promise<void> {
    return new Promise(this.#options.nextTurn ?? setImmediate);
  }

  /** The rules to send with a job; undefined if the same thread already has them from the previous job. */
  #newRules(redactor: BodyRedactor): PostedRules | undefined {
    const worker = this.#thread.start();
    if (this.#known?.worker === worker && this.#known.redactor === redactor) return undefined;
    this.#known = { worker, redactor };
    const { own, ...rules } = redactor.constructorArguments.rules;
    return { rules, own: own.map(({ source }) => source), secrets: redactor.constructorArguments.secrets };
  }
}
