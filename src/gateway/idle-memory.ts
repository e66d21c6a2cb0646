import { getHeapStatistics } from 'node:v8';
import { garbageCollector } from '../core/memory/garbage-collector.ts';
import type { Spoke, Wheel } from '../transport/wire/wheel.ts';

/** Bytes by which memory must have grown since the last collection, which stops the event loop for some 50 ms. */
const worthwhile = 8 * 1024 * 1024;

export interface IdleMemoryDeps {
  readonly wheel: Wheel;
  /** Requests in progress. */
  inFlight(): number;
  /** Bytes of the heap and of buffers outside of it; V8's own figures unless a test says otherwise. */
  size?(): number;
  /** Collects garbage and returns empty pages to the system. */
  collect?(): void;
}

/**
 * Returns the memory of a busy period to the system once the gateway is idle. V8 alone keeps it: without allocations
 * nothing starts a collection. One collection per busy period, after 5 to 10 seconds without a request.
 */
export class IdleMemory implements Spoke {
  readonly everyMs = 5000;
  readonly #deps: IdleMemoryDeps;
  readonly #size: () => number;
  #collect: (() => void) | undefined;
  /** There was a request since the last look. */
  #isUsed = false;
  /** Bytes after the last collection. */
  #kept = 0;

  constructor(deps: IdleMemoryDeps) {
    this.#deps = deps;
    this.#size = deps.size ?? sizeOfHeap;
    this.#collect = deps.collect;
  }

  /** A request begins, or the gateway has started. */
  used(): void {
    this.#isUsed = true;
    this.#deps.wheel.add(this);
  }

  look(): boolean {
    if (this.#isUsed || this.#deps.inFlight() > 0) {
      this.#isUsed = false;
      return true;
    }
    if (this.#size() - this.#kept < worthwhile) return false;
    this.#collect ??= collector();
    this.#collect();
    this.#kept = this.#size();
    return false;
  }
}

function sizeOfHeap(): number {
  const { total_physical_size: heap, external_memory: buffers } = getHeapStatistics();
  return heap + buffers;
}

function collector(): () => void {
  const collect = garbageCollector();
  return () => collect({ type: 'major', flavor: 'last-resort' });
}
