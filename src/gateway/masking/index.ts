import type { MaskingJob, UnmaskedBody } from '../../core/redaction/bodies.ts';
import type { BodyRedactor } from '../../core/redaction/index.ts';
import type { Masking } from '../../pipeline/record/group-commit.ts';
import { RpcClient } from '../../store/log/rpc/client.ts';
import { startThread } from '../../store/log/rpc/thread.ts';
import { type PostedBody, type PostedJob, type PostedMasked, type PostedRules, received } from './messages.ts';

export interface MaskingOptions {
  /** The thread died by itself. */
  onFault(error: Error): void;
  /** Copies are made in slices, each in a turn of its own. */
  readonly nextTurn?: (work: () => void) => void;
  /** Bytes of all jobs that may wait. */
  readonly mostBytes?: number;
  /** Milliseconds from the end of a request in which its bodies are masked, or are not kept. */
  readonly limitMs?: number;
}

const mostBytes = 64 * 1024 * 1024;
const limitMs = 5000;
/** Bytes that are copied in one turn of the event loop. */
const slice = 512 * 1024;
/** The thread ends after half an hour without work: its start takes a tenth of a second, for which a response would wait. */
const idleMs = 1_800_000;
const heapMb = 384;

interface Waiting {
  readonly job: MaskingJob;
  /** Until when it must be done: monotonic milliseconds. */
  readonly end: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * Masks large bodies in a thread, one record after the other. What the event loop does for them is to copy their bytes,
 * in slices. A job that cannot be done in time, for which there is no room, or on which the thread dies, is done without
 * being masked: the record says so, and nothing of its bodies is kept.
 */
export class ThreadMasking implements Masking {
  /** Records whose bodies were not kept. */
  dropped = 0;
  readonly #options: MaskingOptions;
  readonly #thread: RpcClient;
  readonly #queue = new Set<Waiting>();
  #bytes = 0;
  #isBusy = false;
  #known: { readonly worker: object; readonly redactor: BodyRedactor } | undefined;

  constructor(options: MaskingOptions) {
    this.#options = options;
    this.#thread = new RpcClient({
      start: (events) => startThread({ entry: new URL('./masking-worker.js', import.meta.url), data: undefined, heapMb }, events),
      most: 1,
      limitMs: options.limitMs ?? limitMs,
      idleMs,
      onDeath: options.onFault,
    });
  }

  add(job: MaskingJob): void {
    if (this.#bytes + job.size > (this.#options.mostBytes ?? mostBytes)) {
      this.dropped += 1;
      job.done(undefined, {});
      return;
    }
    this.#bytes += job.size;
    const within = this.#options.limitMs ?? limitMs;
    const timer = setTimeout(() => this.#over(waiting), within);
    const waiting: Waiting = { job, end: performance.now() + within, timer };
    this.#queue.add(waiting);
    if (!this.#isBusy) void this.#work();
  }

  flush(): void {
    for (const waiting of this.#queue) this.#over(waiting);
  }

  async close(): Promise<void> {
    this.flush();
    await this.#thread.close();
  }

  /** Once for each job. @param masked absent where it was not */
  #over(waiting: Waiting, masked?: PostedMasked): void {
    if (!this.#queue.delete(waiting)) return;
    const { job, timer } = waiting;
    clearTimeout(timer);
    this.#bytes -= job.size;
    if (masked === undefined) {
      this.dropped += 1;
      job.done(undefined, {});
    } else job.done(received(masked), masked[0].counts);
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (const waiting of this.#queue) {
      try {
        this.#over(waiting, await this.#masked(waiting));
      } catch {
        // Too slow, or the thread died, which it told itself.
        this.#known = undefined;
        this.#over(waiting);
      }
    }
    this.#isBusy = false;
  }

  async #masked(waiting: Waiting): Promise<PostedMasked | undefined> {
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
      const bytes = Buffer.from(new ArrayBuffer(text.length));
      for (let at = 0; at < text.length; at += slice) {
        if (at > 0) await this.#turn();
        bytes.write(text.slice(at, at + slice), at, 'latin1');
      }
      return { kind, bytes };
    }
    const { pieces, size, contentType, isBroken } = body.body;
    const bytes = Buffer.from(new ArrayBuffer(pieces.reduce((sum, piece) => sum + piece.length, 0)));
    let to = 0;
    let copied = 0;
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; at += slice) {
        if (copied >= slice) {
          await this.#turn();
          copied = 0;
        }
        copied += piece.copy(bytes, to + at, at, at + slice);
      }
      to += piece.length;
    }
    return { kind: 'response', bytes, size, contentType, isBroken, times: body.times };
  }

  #turn(): Promise<void> {
    return new Promise(this.#options.nextTurn ?? setImmediate);
  }

  /** The rules of a redactor, where the thread does not know them: those of the job before, in the same thread, it does. */
  #newRules(redactor: BodyRedactor): PostedRules | undefined {
    const worker = this.#thread.start();
    if (this.#known?.worker === worker && this.#known.redactor === redactor) return undefined;
    this.#known = { worker, redactor };
    const { own, ...rules } = redactor.made.rules;
    return { rules, own: own.map(({ source }) => source), secrets: redactor.made.secrets };
  }
}
