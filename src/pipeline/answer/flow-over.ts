import type { Flow, FlowConsumer, KeptBody } from '../../core/plan.ts';

/** A flow that writes another one anew: speed and end are still those of the one below. */
export abstract class FlowOver implements Flow {
  protected readonly below: Flow;

  constructor(below: Flow) {
    this.below = below;
  }

  abstract into(consumer: FlowConsumer): void;

  /** As the provider sent it: the record keeps what came. */
  get kept(): KeptBody {
    return this.below.kept;
  }

  pause(): void {
    this.below.pause();
  }

  resume(): void {
    this.below.resume();
  }

  abort(): void {
    this.below.abort();
  }
}
