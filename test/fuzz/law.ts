import { anyResponse } from './responses.ts';
import { fuzzConfig, providerNames } from './config.ts';
import type { Facts } from './gateway-child.ts';
import { Random } from './random.ts';
import { type FuzzTarget, anyRequest } from './requests.ts';
import { type FuzzRig, type Sent, startFuzzRig } from './rig.ts';

/**
 * The law: whatever a caller sends and a provider returns, the request gets a response, or an orderly abort if the response had
 * begun. No error reaches the process uncaught, no request fails due to a defect, nothing keeps running, and the memory is freed.
 */

export interface FuzzOptions {
  readonly seed: number;
  /** Stops after this number of cases, or after this time in milliseconds. */
  readonly cases?: number;
  readonly withinMs?: number;
  /** Runs only this case. */
  readonly only?: number | undefined;
  readonly withKeys: boolean;
  onProgress?(done: number): void;
}

export interface Broken {
  readonly n: number;
  readonly what: string;
  readonly why: string;
}

export interface FuzzResult {
  readonly cases: number;
  readonly broken: readonly Broken[];
  /** Heap size in bytes after a garbage collection: after warm-up and at the end. */
  readonly heap: readonly [number, number];
  readonly rss: readonly [number, number];
}

/** Number of simultaneous cases, each with its own upstream. */
const slots = 16;
/** Number of cases between two checks of the process. */
const batch = 200;
const keys = ['gw_fuzz_0123456789abcdef0123456789abcdef', 'gw_fuzz_few_456789abcdef0123456789abcdef'] as const;

export async function runFuzz(options: FuzzOptions): Promise<FuzzResult> {
  const rig = await startFuzzRig((upstreams) => fuzzConfig(upstreams, options.withKeys ? keys : []), slots);
  const run = new Run(rig, options);
  try {
    return await run.all();
  } finally {
    await rig.close();
  }
}

class Run {
  readonly #rig: FuzzRig;
  readonly #options: FuzzOptions;
  readonly #broken: Broken[] = [];
  /** Cases of this batch by request id, to find the case of a logged defect. */
  readonly #ids = new Map<string, { n: number; what: string }>();
  #next = 0;
  #done = 0;

  constructor(rig: FuzzRig, options: FuzzOptions) {
    this.#rig = rig;
    this.#options = options;
  }

  async all(): Promise<FuzzResult> {
    const { only, cases = Number.POSITIVE_INFINITY, withinMs = Number.POSITIVE_INFINITY } = this.#options;
    const end = performance.now() + withinMs;
    let warm: Facts | undefined;
    let last = await this.#rig.facts();
    if (only !== undefined) {
      await this.#case(only, 0);
      last = await this.#look();
    }
    while (only === undefined && this.#next < cases && performance.now() < end && this.#broken.length < 20) {
      const until = Math.min(this.#next + batch, cases);
      await Promise.all(Array.from({ length: slots }, (_, slot) => this.#runSlot(slot, until)));
      last = await this.#look();
      warm ??= last;
      this.#options.onProgress?.(this.#done);
    }
    const afterDrain = await this.#rig.drain();
    for (const each of afterDrain.drained) this.#broken.push({ n: -1, what: each, why: 'was still running' });
    this.#note(afterDrain);
    return { cases: this.#done, broken: this.#broken, heap: [warm?.heap ?? last.heap, last.heap], rss: [warm?.rss ?? last.rss, last.rss] };
  }

  async #runSlot(slot: number, until: number): Promise<void> {
    while (this.#next < until) {
      const n = this.#next;
      this.#next += 1;
      await this.#case(n, slot);
    }
  }

  async #case(n: number, slot: number): Promise<void> {
    const random = new Random(this.#options.seed * 1_000_003 + n);
    const upstream = this.#rig.upstreams[slot];
    if (upstream !== undefined) upstream.response = anyResponse(random);
    const target: FuzzTarget = {
      providers: providerNames(slot),
      configs: ['pair', 'again'].map((name) => `${name}-${slot}`),
      keys: this.#options.withKeys ? keys : [],
    };
    const request = anyRequest(random, target);
    // A joined WebSocket ends only when a side closes it, which the test does not do; a rejected one may keep its connection open.
    const sent = await this.#rig.send(request.bytes, { withinMs: 60_000, ...(request.isSocket ? { settleMs: 100 } : {}) });
    this.#done += 1;
    const id = /^x-request-id: (\S+)/im.exec(sent.text)?.[1];
    if (id !== undefined) this.#ids.set(id, { n, what: request.what });
    const why = faultOf(sent, request.isSocket);
    if (why !== undefined) this.#broken.push({ n, what: request.what, why });
  }

  async #look(): Promise<Facts> {
    const facts = await this.#rig.facts();
    this.#note(facts);
    this.#ids.clear();
    return facts;
  }

  #note({ unowned, defects }: Facts): void {
    for (const stack of unowned) this.#broken.push({ n: -1, what: `a case before ${this.#next}`, why: `had no owner: ${stack}` });
    for (const line of defects) {
      const entry = JSON.parse(line) as { request?: string; err?: { stack?: string }; msg: string };
      const { n, what } = this.#ids.get(entry.request ?? '') ?? { n: -1, what: `a case before ${this.#next}` };
      this.#broken.push({ n, what, why: `a defect: ${entry.err?.stack ?? line}` });
    }
  }
}

/** Returns why a request breaks the law; undefined if it does not. */
function faultOf({ status, end, text }: Sent, isSocket: boolean): string | undefined {
  if (end === 'waiting' && !(isSocket && status !== undefined)) return `no end (status ${status ?? 'none'})`;
  if (status === undefined) return `no answer: ${JSON.stringify(text.slice(0, 100))}`;
  if (status === 500 && /"code":"internal"/.test(text)) return `500 internal: ${text.slice(text.indexOf('\r\n\r\n') + 4, 500)}`;
  return undefined;
}
